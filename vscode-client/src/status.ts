// The language status items: what the server is doing, with which Triton, and for which target.

import * as vscode from "vscode";

export interface ServerStatus {
  readonly state: "ready" | "compiling" | "degraded";
  readonly kernels: number;
  readonly message: string;
  readonly python: string;
  readonly triton: string | null;
  readonly target: string;
}

const PYTHON_FILES: vscode.DocumentSelector = { language: "python" };

export class Status implements vscode.Disposable {
  private readonly state = this.item("state", "Triton Kernels", "tritonKernels.showOutput", "Output");
  private readonly python = this.item(
    "python",
    "Triton Kernels: interpreter",
    "tritonKernels.selectInterpreter",
    "Select",
  );
  private readonly target = this.item("target", "Triton Kernels: target", "tritonKernels.chooseTarget", "Change");

  starting(what: string): void {
    this.show("Triton Kernels: starting", what, vscode.LanguageStatusSeverity.Information, true);
  }

  chosen(path: string, triton: string): void {
    this.python.text = `Triton ${triton}`;
    this.python.detail = path;
  }

  /** No server: `text` says why in a few words, `detail` what to do. */
  stopped(text: string, detail: string): void {
    this.show(`Triton Kernels: ${text}`, detail, vscode.LanguageStatusSeverity.Error);
  }

  noTriton(detail: string): void {
    this.stopped("no Triton found", detail);
    this.python.text = "No Triton";
    this.python.detail = "";
  }

  running(status: ServerStatus): void {
    const { Information, Warning } = vscode.LanguageStatusSeverity;
    if (status.state === "compiling") {
      const kernels = `${status.kernels} ${status.kernels === 1 ? "kernel" : "kernels"}`;
      this.show(`Triton Kernels: compiling ${kernels}`, status.message, Information, true);
    } else if (status.state === "degraded") this.show("Triton Kernels: degraded", status.message, Warning);
    else this.show("Triton Kernels: ready", status.message, Information);
    this.python.text = status.triton === null ? "No Triton" : `Triton ${status.triton}`;
    this.python.detail = status.python;
    this.target.text = status.target;
    this.target.detail = "compile target";
  }

  dispose(): void {
    for (const item of [this.state, this.python, this.target]) item.dispose();
  }

  private show(text: string, detail: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    Object.assign(this.state, { text, detail, severity, busy });
  }

  private item(id: string, name: string, command: string, title: string): vscode.LanguageStatusItem {
    const item = vscode.languages.createLanguageStatusItem(`tritonKernels.${id}`, PYTHON_FILES);
    item.name = name;
    item.command = { command, title };
    return item;
  }
}
