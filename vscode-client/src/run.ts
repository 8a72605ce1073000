// What running kernels gave: a page with the last runs in this workspace, the last one shown. Holds no logic but that.

import * as vscode from "vscode";
import { type Config, failure, page, type Run } from "./page.ts";

const VIEW = "tritonKernels.runs";
const MOST = 20;

interface Answer {
  readonly markdown: string;
  readonly result: { readonly configs?: readonly Config[] };
}

/** With what it takes to run it again: document, function, which of its launches. */
interface Kept extends Run {
  readonly launch: readonly unknown[];
}

export class RunPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  /** `memory`: where runs are kept when the window is loaded again. */
  constructor(private readonly memory: vscode.Memento) {}

  /** What was run last. */
  get last(): readonly unknown[] | undefined {
    return this.runs.at(-1)?.launch;
  }

  /** Runs a kernel and shows what came of it. A failure is a result, too, and is shown as one. */
  async run(launch: readonly unknown[], ask: () => Promise<Answer>, cancel: () => Promise<unknown>): Promise<void> {
    const time = new Date().toLocaleTimeString();
    const title = String(launch[1]);
    let html: string;
    let configs: readonly Config[] = [];
    try {
      // The progress that the server reports has no button here.
      const progress = {
        location: vscode.ProgressLocation.Notification,
        title: `Running ${title}`,
        cancellable: true,
      };
      const answer = await vscode.window.withProgress(progress, (_, token) => {
        token.onCancellationRequested(() => void cancel());
        return ask();
      });
      html = await vscode.commands.executeCommand<string>("markdown.api.render", answer.markdown);
      configs = answer.result.configs ?? [];
    } catch (error) {
      html = failure(title, error instanceof Error ? error.message : String(error));
    }
    await this.memory.update(VIEW, [...this.runs, { title, time, html, configs, launch }].slice(-MOST));
    this.show();
  }

  /** The page as it was before the window was loaded again. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.hold(panel);
    this.show();
    return Promise.resolve();
  }

  register(): vscode.Disposable {
    return vscode.window.registerWebviewPanelSerializer(VIEW, this);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private get runs(): readonly Kept[] {
    return this.memory.get<readonly Kept[]>(VIEW, []);
  }

  private show(): void {
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    if (this.panel) this.panel.reveal(undefined, true);
    else this.hold(vscode.window.createWebviewPanel(VIEW, "Kernel Runs", where, { enableScripts: false }));
    if (this.panel) this.panel.webview.html = page(this.runs);
  }

  private hold(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.onDidDispose(() => (this.panel = undefined));
  }
}
