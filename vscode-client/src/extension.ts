// Where the extension starts: waits for a Python file that mentions triton, then ties server, views and commands together.

import * as vscode from "vscode";
import { registerCommands } from "./commands.ts";
import { IrDocuments } from "./ir.ts";
import { asMessage } from "./messages.ts";
import { RunPanel } from "./run.ts";
import { Server, watchInterpreter, watchSettings } from "./server.ts";
import { Status } from "./status.ts";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Triton Kernels", { log: true });
  let status: Status | undefined;
  let server: Server | undefined;

  // Most Python files have nothing to do with triton: nothing runs, and nothing is shown, before one does.
  const waiting = [
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      startFor(document);
    }),
  ];
  context.subscriptions.push(log, ...waiting);
  const runs = new RunPanel(context.workspaceState);
  context.subscriptions.push(runs, runs.register());
  registerCommands(context, log, runs, start);
  vscode.workspace.textDocuments.forEach(startFor);

  function startFor(document: vscode.TextDocument): void {
    if (!server && mentionsTriton(document)) start();
  }

  function start(): Server {
    if (server) return server;
    for (const one of waiting) one.dispose();
    status = new Status();
    const ir: IrDocuments = new IrDocuments(() => created.running);
    const created = new Server(context, log, status, {
      window: { showDocument: ir.show },
      executeCommand: async (command, args, next): Promise<unknown> => {
        if (command === "triton-ls.run") {
          return vscode.commands.executeCommand("tritonKernels.run", ...(args as unknown[]));
        }
        try {
          return await next(command, args);
        } catch (error) {
          throw new Error(asMessage(error), { cause: error }); // VS Code shows it
        }
      },
    });
    server = created;
    created.onStarted((client) => {
      client.onNotification("triton-ls/irChanged", ({ uri }: { uri: string }) => {
        ir.refresh(uri);
      });
      ir.refresh();
    });
    context.subscriptions.push(status, ir, created, ...watchSettings(created, log));
    void created.restart("a file mentions triton").then(async () => {
      context.subscriptions.push(...(await watchInterpreter(created, log)));
    });
    return created;
  }
}

function mentionsTriton(document: vscode.TextDocument): boolean {
  return document.languageId === "python" && document.uri.scheme === "file" && /\btriton\b/.test(document.getText());
}
