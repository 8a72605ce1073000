// The server process and the connection to it: started with the Python that has triton, restarted, and given up on.

import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State } from "vscode-languageclient/node";
import type { ErrorHandler, LanguageClientOptions, Middleware } from "vscode-languageclient/node";
import { type Choice, choose } from "./interpreter.ts";
import { explicit, SECTION } from "./settings.ts";
import { asMessage } from "./messages.ts";
import { guarded } from "./places.ts";
import { folders, sources } from "./sources.ts";
import type { ServerStatus, Status } from "./status.ts";

const CRASHES = 4;
const CRASH_WINDOW_MS = 3 * 60_000;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private work = Promise.resolve();
  private wanted = 0;
  private crashes: number[] = [];
  private told: string | undefined;
  private readonly started = new vscode.EventEmitter<LanguageClient>();
  /** A connection is up: the first one, or the one after a restart. */
  readonly onStarted = this.started.event;
  /** How the Python was found; undefined before the first look. */
  choice: Choice | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly status: Status,
    private readonly middleware: Middleware,
  ) {}

  /** The running client. Throws a sentence for the user when there is none. */
  get running(): LanguageClient {
    if (this.client?.state !== State.Running) {
      const why = this.choice && "problem" in this.choice ? this.choice.problem : "The output tells more.";
      throw new Error(`The Triton Kernels server is not running. ${why}`);
    }
    return this.client;
  }

  /** Asks the server, whichever way the command is registered. */
  execute<T>(command: string, ...args: unknown[]): Promise<T> {
    return this.running.sendRequest<T>("workspace/executeCommand", { command, arguments: args });
  }

  /** One restart at a time; of several that are asked for meanwhile, one is done. */
  restart(why: string): Promise<void> {
    const mine = ++this.wanted;
    this.work = this.work.then(async () => {
      if (mine !== this.wanted) return;
      this.log.info(`Starting the server: ${why}.`);
      try {
        await this.stop();
        await this.start();
      } catch (error) {
        this.log.error(error instanceof Error ? error : String(error));
        this.status.stopped("the server did not start", String(error));
        void this.tell("The Triton Kernels server did not start.", "Restart", "Show Output");
      }
    });
    return this.work;
  }

  /** Looks again for a triton where there was none; does nothing else. */
  async retry(): Promise<void> {
    if (this.choice && "problem" in this.choice) await this.restart("there was no Triton the last time");
  }

  dispose(): void {
    this.started.dispose();
    void this.stop();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await vscode.commands.executeCommand("setContext", "tritonKernels.running", false);
    try {
      if (client?.needsStop()) await client.stop(5000);
      await client?.dispose();
    } catch (error) {
      // One that does not answer is killed by the client; it must not keep the next one from starting.
      this.log.warn(`The server did not stop in time: ${String(error)}`);
    }
  }

  private async start(): Promise<void> {
    this.status.starting("looking for a Python with Triton");
    this.choice = await choose(this.log);
    if ("problem" in this.choice) {
      this.status.noTriton(this.choice.problem);
      this.log.warn(this.choice.problem);
      // Once: looking again, and finding the same, is no news.
      if (this.told !== this.choice.problem) void this.tell(this.choice.problem, "Select Interpreter");
      this.told = this.choice.problem;
      return;
    }
    this.told = undefined;
    const { path, triton } = this.choice.python;
    this.status.chosen(path, triton ?? "");
    this.status.starting(path);
    const client = new LanguageClient(SECTION, "Triton Kernels", () => this.spawn(path), this.options());
    this.client = client;
    client.onNotification("triton-ls/status", (status: ServerStatus) => {
      this.status.running(status);
    });
    client.onDidChangeState(({ newState }) => {
      void vscode.commands.executeCommand("setContext", "tritonKernels.running", newState === State.Running);
      if (newState === State.Running) this.started.fire(client);
    });
    await client.start();
  }

  private spawn(python: string): Promise<ReturnType<typeof spawn>> {
    const bundled = this.context.asAbsolutePath("bundled");
    const level =
      this.log.logLevel <= vscode.LogLevel.Debug && this.log.logLevel !== vscode.LogLevel.Off ? "debug" : "info";
    // -I, -S: nothing of the user's gets between the server and what is bundled with it, nor runs before it.
    const started = spawn(python, ["-I", "-S", bundled, "serve", "--log-level", level], {
      cwd: homedir(),
      env: guarded(process.env, python, folders(), false),
      windowsHide: true,
    });
    started.on("exit", (code, signal) => {
      this.log.info(`The server ended with ${signal ?? `exit code ${code ?? "unknown"}`}.`);
    });
    return Promise.resolve(started);
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file", language: "python" }],
      outputChannel: this.log,
      initializationOptions: { virtualDocuments: true, status: true, trusted: vscode.workspace.isTrusted },
      errorHandler: this.errorHandler(),
      initializationFailedHandler: () => false, // it is said where it is started
      stdioOptions: { stdout: logLines, stderr: logLines },
      middleware: {
        ...this.middleware,
        workspace: {
          configuration: ({ items }) =>
            items.map((item) => {
              const scope = item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined;
              return item.section === SECTION ? explicit(this.context.extension, scope) : null;
            }),
        },
      },
    };
  }

  /** A server that ends on its own is started again, but not for ever. */
  private errorHandler(): ErrorHandler {
    return {
      error: (_error, _message, count) => ({ action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown }),
      closed: () => {
        // One that ends before it has started makes the start fail, which is said there.
        if (this.client?.state === State.Running) this.crashed();
        return { action: CloseAction.DoNotRestart, handled: true, message: "The server has closed the connection." };
      },
    };
  }

  private crashed(): void {
    this.crashes = [...this.crashes.filter((time) => Date.now() - time < CRASH_WINDOW_MS), Date.now()];
    const times = this.crashes.length;
    if (times <= CRASHES) {
      void this.restart("it ended unexpectedly");
      return;
    }
    this.crashes = [];
    this.status.stopped("the server crashed", `It ended ${times} times in a few minutes.`);
    void this.tell(`The Triton Kernels server ended ${times} times in a few minutes.`, "Restart", "Show Output");
  }

  private async tell(message: string, ...buttons: ("Restart" | "Show Output" | "Select Interpreter")[]): Promise<void> {
    const commands = { Restart: "restart", "Show Output": "showOutput", "Select Interpreter": "selectInterpreter" };
    const chosen = await vscode.window.showWarningMessage(asMessage(message), ...buttons);
    if (chosen) await vscode.commands.executeCommand(`tritonKernels.${commands[chosen]}`);
  }
}

/** Restarts when VS Code itself says something else than at the start. From before the start on: settings may come late. */
export function watchSettings(server: Server, log: vscode.LogOutputChannel): vscode.Disposable[] {
  return [
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("triton-ls.interpreter")) void server.restart("the setting interpreter changed");
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart("the workspace is trusted now")),
    log.onDidChangeLogLevel(() => void server.restart("the log level changed")),
    vscode.window.onDidChangeWindowState(({ focused }) => void (focused && server.retry())),
  ];
}

/** Restarts when another extension has chosen another Python. */
export async function watchInterpreter(server: Server, log: vscode.LogOutputChannel): Promise<vscode.Disposable[]> {
  const watched: vscode.Disposable[] = [];
  for (const source of sources(log)) {
    try {
      const one = await source.watch?.(() => void server.restart(`${source.name} has another Python`));
      if (one) watched.push(one);
    } catch (error) {
      log.warn(`${source.name} does not report changes: ${String(error)}`);
    }
  }
  return watched;
}

/** The server's log, at the levels that its lines have: `2026-01-31 12:00:00,000 INFO name: text`. */
function logLines(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
  let level: "debug" | "info" | "warn" | "error" = "info";
  createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
    const found = /^\S+ \S+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/.exec(line);
    const levels = { DEBUG: "debug", INFO: "info", WARNING: "warn", ERROR: "error", CRITICAL: "error" } as const;
    if (found) level = levels[found[1] as keyof typeof levels]; // a line without one goes on with the last one's
    log[level](found?.[2] ?? line);
  });
}
