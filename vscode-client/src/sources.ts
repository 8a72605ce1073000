// Where a Python may come from, in the order in which they are asked: each behind the same interface.

import { PVSC_EXTENSION_ID, PythonExtension } from "@vscode/python-extension";
import { EXTENSION_ID as ENVIRONMENTS_EXTENSION_ID, PythonEnvironments } from "@vscode/python-environments";
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { isExecutable, leadsThrough, program } from "./places.ts";

export interface Source {
  /** For the log and for people. */
  readonly name: string;
  /** A final source's answer counts, whatever it is; the ones after it are not asked. */
  readonly final?: boolean;
  /** Does its answer depend on what is in the workspace, so that it may only be asked once the user trusts that? */
  readonly ofWorkspace: boolean;
  /** Paths of Pythons, best first; none when this source knows of none. */
  candidates(): Promise<string[]>;
  /** All it knows of, for the user to choose from. */
  known?(): Promise<string[]>;
  /** Tells when the answer may be another. Asked for after `candidates`. */
  watch?(changed: () => void): Promise<vscode.Disposable | undefined>;
}

export const INTERPRETER = "interpreter";

/** The workspace's, nothing of which runs while a Python is looked for, trusted or not. */
export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
}

function scope(): vscode.Uri | undefined {
  return vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
}

/** What people write into such settings. What comes of it may lie anywhere, also in the workspace: `sources` sees to that. */
function expand(path: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path
    .replace(/^~(?=$|[/\\])/, homedir())
    .replaceAll("${workspaceFolder}", folder)
    .replaceAll("${userHome}", homedir())
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => process.env[name] ?? "");
}

const setting: Source = {
  name: "the setting triton-ls.interpreter",
  final: true,
  ofWorkspace: false, // VS Code itself leaves out what an untrusted workspace says; the user's own may still lead there
  candidates() {
    const path = vscode.workspace.getConfiguration("triton-ls").get<string>(INTERPRETER, "").trim();
    return Promise.resolve(path ? [expand(path)] : []);
  },
};

const environments: Source = {
  name: "the Python Environments extension",
  ofWorkspace: true,
  async candidates() {
    if (!vscode.extensions.getExtension(ENVIRONMENTS_EXTENSION_ID)) return [];
    const api = await PythonEnvironments.api();
    const environment = await api.getEnvironment(scope());
    return environment ? [environment.execInfo.run.executable] : [];
  },
  async known() {
    if (!vscode.extensions.getExtension(ENVIRONMENTS_EXTENSION_ID)) return [];
    const api = await PythonEnvironments.api();
    return (await api.getEnvironments("all")).map((environment) => environment.execInfo.run.executable);
  },
  async watch(changed) {
    if (!vscode.extensions.getExtension(ENVIRONMENTS_EXTENSION_ID)) return undefined;
    return (await PythonEnvironments.api()).onDidChangeEnvironment(changed);
  },
};

const pythonExtension: Source = {
  name: "the Python extension",
  ofWorkspace: true,
  async candidates() {
    if (!vscode.extensions.getExtension(PVSC_EXTENSION_ID)) return [];
    const { environments } = await PythonExtension.api();
    const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(scope()));
    return resolved?.executable.uri ? [resolved.executable.uri.fsPath] : [];
  },
  async known() {
    if (!vscode.extensions.getExtension(PVSC_EXTENSION_ID)) return [];
    const { environments } = await PythonExtension.api();
    return environments.known.flatMap(({ executable }) => (executable.uri ? [executable.uri.fsPath] : []));
  },
  async watch(changed) {
    if (!vscode.extensions.getExtension(PVSC_EXTENSION_ID)) return undefined;
    const { environments } = await PythonExtension.api();
    return environments.onDidChangeActiveEnvironmentPath(changed);
  },
};

const defaultInterpreterPath: Source = {
  name: "the setting python.defaultInterpreterPath",
  ofWorkspace: true,
  candidates() {
    const path = vscode.workspace.getConfiguration("python", scope()).get<string>("defaultInterpreterPath", "").trim();
    return Promise.resolve(path && path !== "python" ? [expand(path)] : []);
  },
  watch(changed) {
    return Promise.resolve(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("python.defaultInterpreterPath")) changed();
      }),
    );
  },
};

const path: Source = {
  name: "PATH",
  ofWorkspace: false, // the user's own
  candidates() {
    const names = process.platform === "win32" ? ["python.exe"] : ["python3", "python"];
    const folders = new Map<string, string>(); // /bin is often another name of /usr/bin
    for (const folder of (process.env.PATH ?? "")
      .split(delimiter)
      .filter((one) => isAbsolute(one) && existsSync(one))) {
      const real = realpathSync(folder);
      if (!folders.has(real)) folders.set(real, folder);
    }
    const found = [...folders.values()].flatMap((folder) =>
      names
        .map((name) => join(folder, name))
        .filter(isExecutable)
        .slice(0, 1),
    );
    return Promise.resolve(found);
  },
};

/**
 * Those that may be asked now: an untrusted workspace must not choose which program runs. Whoever names a program, however it is
 * spelled (`${workspaceFolder}`, `${env:NAME}`, a relative path, a link): none that lies in such a workspace is used.
 */
export function sources(log: vscode.LogOutputChannel): Source[] {
  const all = [setting, environments, pythonExtension, defaultInterpreterPath, path];
  if (vscode.workspace.isTrusted) return all;
  return all.filter((source) => !source.ofWorkspace).map((source) => outsideOfFolders(source, log));
}

function outsideOfFolders(source: Source, log: vscode.LogOutputChannel): Source {
  return {
    ...source,
    async candidates() {
      return (await source.candidates()).filter((written) => {
        const refused = leadsThrough(program(written), folders());
        if (refused) log.warn(`${source.name}: ${written} is passed over: it is in a folder that is not trusted.`);
        return !refused;
      });
    },
  };
}
