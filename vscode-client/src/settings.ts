// What of the settings goes to the server: only what somebody has set, because a default of ours would hide what
// pyproject.toml says.

import * as vscode from "vscode";

export const SECTION = "triton-ls";

/** The extension itself deals with these. */
const OURS = ["interpreter", "trace.server"];

type Table = Record<string, unknown>;

export function explicit(extension: vscode.Extension<unknown>, scope: vscode.Uri | undefined): Table {
  const configuration = vscode.workspace.getConfiguration(SECTION, scope);
  const table: Table = {};
  for (const name of names(extension)) {
    const value = configuration.get<unknown>(name);
    if (value !== undefined && value !== "" && isSet(configuration.inspect(name))) put(table, name.split("."), value);
  }
  return table;
}

function names(extension: vscode.Extension<unknown>): string[] {
  const manifest = extension.packageJSON as { contributes: { configuration: { properties: Table } } };
  const all = Object.keys(manifest.contributes.configuration.properties).map((key) => key.slice(SECTION.length + 1));
  return all.filter((name) => !OURS.includes(name));
}

function isSet(found: ReturnType<vscode.WorkspaceConfiguration["inspect"]>): boolean {
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
}

function put(table: Table, [first, ...rest]: string[], value: unknown): void {
  if (first === undefined) return;
  if (rest.length === 0) table[first] = value;
  else put((table[first] ??= {}) as Table, rest, value);
}
