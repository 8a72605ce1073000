// What running kernels gave: a page with the runs of this session, the last one shown. Holds no logic but that.

import * as vscode from "vscode";
import { type Config, failure, page, type Run } from "./page.ts";

interface Answer {
  readonly markdown: string;
  readonly result: { readonly configs?: readonly Config[] };
}

export class RunPanel implements vscode.Disposable {
  private static readonly runs: Run[] = [];
  private static panel: vscode.WebviewPanel | undefined;

  /** Runs a kernel and shows what came of it. A failure is a result, too, and is shown as one. */
  static async run(qualname: string, ask: () => Promise<Answer>, cancel: () => Promise<unknown>): Promise<void> {
    const time = new Date().toLocaleTimeString();
    let html: string;
    let configs: readonly Config[] = [];
    try {
      // The progress that the server reports has no button here.
      const progress = {
        location: vscode.ProgressLocation.Notification,
        title: `Running ${qualname}`,
        cancellable: true,
      };
      const answer = await vscode.window.withProgress(progress, (_, token) => {
        token.onCancellationRequested(() => void cancel());
        return ask();
      });
      html = await vscode.commands.executeCommand<string>("markdown.api.render", answer.markdown);
      configs = answer.result.configs ?? [];
    } catch (error) {
      html = failure(qualname, error instanceof Error ? error.message : String(error));
    }
    RunPanel.runs.push({ title: qualname, time, html, configs });
    RunPanel.show();
  }

  dispose(): void {
    RunPanel.panel?.dispose();
  }

  private static show(): void {
    if (!RunPanel.panel) {
      const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      RunPanel.panel = vscode.window.createWebviewPanel("tritonKernels.runs", "Kernel Runs", where, {
        enableScripts: false,
      });
      RunPanel.panel.onDidDispose(() => (RunPanel.panel = undefined));
    } else RunPanel.panel.reveal(undefined, true);
    RunPanel.panel.webview.html = page(RunPanel.runs);
  }
}
