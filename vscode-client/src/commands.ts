// The palette's commands: each finds out what is meant, asks the server, and shows what it answers.

import * as vscode from "vscode";
import { origin, SCHEME } from "./ir.ts";
import { asMessage } from "./messages.ts";
import { probe, Unusable } from "./python.ts";
import type { RunPanel } from "./run.ts";
import type { Server } from "./server.ts";
import { SECTION } from "./settings.ts";
import { folders, sources } from "./sources.ts";

interface Kernel {
  readonly source: string;
  readonly qualname: string;
}

export function registerCommands(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  runs: RunPanel,
  server: () => Server,
): void {
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    showTtir: () => showIr(server(), "ttir"),
    showIr: () => showIr(server()),
    showShapes: () => showShapes(server()),
    showResources: () => showResources(server()),
    showConfigResources: () => forKernel(server(), "triton-ls.configResources"),
    run: (...launch) => run(server(), runs, launch),
    runAgain: () => runs.last && run(server(), runs, runs.last),
    showRunKernel: () => runs.last && showFunction(String(runs.last[0]), String(runs.last[1])),
    pinLaunch: () => forKernel(server(), "triton-ls.pinLaunch"),
    createCustomOp: () => forKernel(server(), "triton-ls.createCustomOp"),
    showLaunchScript: () => forKernel(server(), "triton-ls.runScript"),
    chooseTarget: () => chooseTarget(server()),
    selectInterpreter: () => selectInterpreter(log),
    restart: () => server().restart("the user asked for it"),
    showOutput: () => {
      log.show();
    },
    copyDebugInformation: () => copyDebugInformation(context, server()),
  };
  for (const [name, command] of Object.entries(commands)) {
    const reported = async (...args: unknown[]) => {
      try {
        await command(...args);
      } catch (error) {
        log.error(error instanceof Error ? error : String(error));
        void vscode.window.showErrorMessage(asMessage(error));
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(`tritonKernels.${name}`, reported));
  }
}

/** The jit function at the cursor, in its source or in its IR. */
async function kernelAtCursor(server: Server): Promise<Kernel | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme === SCHEME) return origin(editor.document.uri);
  if (editor?.document.languageId === "python") {
    const source = editor.document.uri.toString();
    const { line, character } = editor.selection.active;
    const found = await server.execute<{ qualname: string } | null>("triton-ls.kernelAt", source, line, character);
    if (found) return { source, qualname: found.qualname };
  }
  void vscode.window.showInformationMessage("Put the cursor into a Triton kernel first.");
  return undefined;
}

async function showIr(server: Server, stage?: string): Promise<void> {
  const kernel = await kernelAtCursor(server);
  if (!kernel) return;
  const chosen = stage ?? (await chooseStage(server, kernel));
  if (!chosen) return;
  await busy(`Compiling ${kernel.qualname} to ${chosen.toUpperCase()}`, () =>
    server.execute("triton-ls.showIr", kernel.source, kernel.qualname, chosen),
  );
}

async function chooseStage(server: Server, kernel: Kernel): Promise<string | undefined> {
  const known: Record<string, string> = {
    ttir: "Triton IR: what the front end makes of the kernel",
    ttgir: "Triton GPU IR: with layouts",
    llir: "LLVM IR",
    ptx: "portable assembly of NVIDIA GPUs",
    sass: "machine code of NVIDIA GPUs",
    amdgcn: "assembly of AMD GPUs",
  };
  const stages = await server.execute<string[]>("triton-ls.stages", kernel.source);
  const items = stages.map((stage) => ({ label: stage.toUpperCase(), description: known[stage] ?? "", stage }));
  const title = `Show ${kernel.qualname} as`;
  return (await vscode.window.showQuickPick(items, { title }))?.stage;
}

async function showShapes(server: Server): Promise<void> {
  const kernel = await kernelAtCursor(server);
  if (!kernel) return;
  const { choices, chosen } = await server.execute<{ choices: string[]; chosen: string | null }>(
    "triton-ls.shapes",
    kernel.source,
    kernel.qualname,
  );
  if (!choices.length) {
    const message = `All configs and launches of ${kernel.qualname} in sight pass the same constants.`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const items = [
    { label: "All", description: chosen === null ? "current" : "", choice: null },
    ...choices.map((choice) => ({ label: choice, description: choice === chosen ? "current" : "", choice })),
  ];
  const picked = await vscode.window.showQuickPick(items, { title: `Show the shapes in ${kernel.qualname} for` });
  if (picked) await server.execute("triton-ls.showShapes", kernel.source, kernel.qualname, picked.choice);
}

async function showResources(server: Server): Promise<void> {
  const kernel = await kernelAtCursor(server);
  if (!kernel) return;
  // The server says it, as it does in every editor, and from then on in the hover of the kernel's name.
  await busy(`Compiling ${kernel.qualname} to the end`, () =>
    server.execute("triton-ls.resources", kernel.source, kernel.qualname),
  );
}

/** `launch`: what a code lens or a code action names (document, function, which of its launches); else what is at the cursor. */
async function run(server: Server, runs: RunPanel, launch: readonly unknown[]): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error("Kernels can be run in trusted workspaces only: running one executes the code of the workspace.");
  }
  if (!launch.length) {
    const kernel = await kernelAtCursor(server);
    if (!kernel) return;
    launch = [kernel.source, kernel.qualname];
  }
  const wanted = launch;
  await runs.run(
    wanted,
    () => server.execute("triton-ls.run", ...wanted),
    () => server.execute("triton-ls.cancelRuns"),
  );
}

/** Goes to where a function is defined now. */
async function showFunction(source: string, qualname: string): Promise<void> {
  const uri = vscode.Uri.parse(source);
  const editor = await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One });
  const provider = "vscode.executeDocumentSymbolProvider";
  const symbols = (await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(provider, uri)) ?? [];
  const name = qualname.split(".").at(-1);
  const found = symbols.flatMap((one) => [one, ...one.children]).find((one) => one.name === name);
  if (!found) return;
  editor.selection = new vscode.Selection(found.selectionRange.start, found.selectionRange.start);
  editor.revealRange(found.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function forKernel(server: Server, command: string): Promise<void> {
  const kernel = await kernelAtCursor(server);
  if (kernel) await server.execute(command, kernel.source, kernel.qualname);
}

async function chooseTarget(server: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const document = uri?.scheme === SCHEME ? origin(uri).source : uri?.toString();
  const { current, known } = await server.execute<{ current: string; known: string[] }>(
    "triton-ls.targets",
    document ?? "",
  );
  const other = { label: "Other...", description: "any backend:architecture that your Triton knows" };
  const items = [...new Set([current, ...known])].map((label) => ({
    label,
    description: [label === current ? "current" : "", named(label)].filter((part) => part).join(" · "),
  }));
  let target = (await vscode.window.showQuickPick([...items, other], { title: "Compile Triton kernels for" }))?.label;
  if (target === other.label)
    target = await vscode.window.showInputBox({ prompt: "backend:architecture", value: current });
  if (target) await save("target", target);
}

function named(target: string): string {
  const [backend = "", architecture = ""] = target.split(":");
  const known: Record<string, string> = {
    "80": "NVIDIA A100",
    "86": "NVIDIA RTX 30, A40",
    "89": "NVIDIA L4, L40, RTX 40",
    "90": "NVIDIA H100, H200",
    "100": "NVIDIA B200",
    "120": "NVIDIA RTX 50",
    gfx90a: "AMD MI200",
    gfx942: "AMD MI300",
    gfx950: "AMD MI350",
  };
  return ["cuda", "hip"].includes(backend) ? (known[architecture] ?? "") : "";
}

async function selectInterpreter(log: vscode.LogOutputChannel): Promise<void> {
  const browse = { label: "$(folder-opened) Browse...", path: "" };
  const automatic = { label: "$(sparkle) Find it automatically", path: "", description: "clears the setting" };
  const listed = sources(log).map((source) => (source.known ?? source.candidates.bind(source))());
  const found = (await Promise.allSettled(listed)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const probed = [...new Set(found)].map(async (path) => ({
    label: path,
    path,
    description: await describePython(path),
  }));
  const items = Promise.all(probed).then((pythons) => [...pythons, automatic, browse]);
  const options = { title: "Select the Python that has Triton", placeHolder: "Sets triton-ls.interpreter" };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (!chosen) return;
  if (chosen === automatic) return save("interpreter", undefined);
  const path = chosen === browse ? await pick() : chosen.path;
  if (path) await save("interpreter", path);
}

async function describePython(path: string): Promise<string> {
  try {
    const { version, triton } = await probe(path, folders());
    return `Python ${version}, ${triton ? `Triton ${triton}` : "no Triton"}`;
  } catch (error) {
    if (error instanceof Unusable) return "does not work";
    throw error;
  }
}

async function pick(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title: "The Python that has Triton", canSelectMany: false });
  return chosen?.[0]?.fsPath;
}

/** For the workspace where there is one: another workspace may need another Triton. */
function save(name: string, value: string | undefined): Thenable<void> {
  const { workspaceFolders, isTrusted } = vscode.workspace;
  const target =
    workspaceFolders?.length && isTrusted ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  return vscode.workspace.getConfiguration(SECTION).update(name, value, target);
}

async function copyDebugInformation(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const { version } = context.extension.packageJSON as { version: string };
  const lines = [
    "## Triton Kernels",
    `- extension ${version}, VS Code ${vscode.version} (${vscode.env.appName}), ${process.platform} ${process.arch}`,
    `- remote: ${vscode.env.remoteName ?? "no"}, trusted: ${vscode.workspace.isTrusted ? "yes" : "no"}`,
    `- interpreter: ${JSON.stringify(server.choice)}`,
  ];
  try {
    lines.push("", (await server.execute<{ text: string }>("triton-ls.debugInformation")).text);
  } catch (error) {
    lines.push(`- server: ${String(error)}`);
  }
  await vscode.env.clipboard.writeText(lines.join("\n"));
  void vscode.window.showInformationMessage("Copied what a report of a problem with Triton Kernels needs.");
}

function busy<T>(title: string, work: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}
