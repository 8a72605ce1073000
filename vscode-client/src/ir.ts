// The IR beside the source: read-only documents `triton-ls-ir:/QUALNAME.STAGE?URI`, and the lines that belong together.

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

export const SCHEME = "triton-ls-ir";

const QUIET_MS = 1000;

/** A line of the IR, and the file and line that it comes from; all from 0. */
type Row = readonly [irLine: number, sourceUri: string, sourceLine: number];
interface Content {
  readonly text: string;
  readonly map: readonly Row[];
}

export class IrDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly maps = new Map<string, readonly Row[]>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly linked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("tritonKernels.linkedLine"),
    overviewRulerColor: new vscode.ThemeColor("tritonKernels.linkedLine"),
  });
  private readonly registrations: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => LanguageClient) {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.link(textEditor);
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.relink();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme === SCHEME) this.relink();
        else if (contentChanges.length) this.outdated(document.uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.maps.delete(uri.toString())),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      const content = withoutLocations(
        await this.client().sendRequest<Content>("triton-ls/irContent", { uri: uri.toString() }),
      );
      this.maps.set(uri.toString(), content.map);
      // VS Code tells of a text only when it is another.
      if (vscode.workspace.textDocuments.some((one) => isSame(one, uri, content.text))) this.relink();
      return content.text;
    } catch (error) {
      this.maps.delete(uri.toString());
      const comment = uri.path.endsWith(".llir") ? ";" : "//";
      return (error instanceof Error ? error.message : String(error)).replace(/^/gm, `${comment} `);
    }
  }

  /** Asks again for the IR of one source file, or of all. */
  refresh(source?: string): void {
    const wanted = source && normal(source);
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME && (!wanted || normal(uri.query) === wanted)) this.changed.fire(uri);
    }
  }

  /** `window/showDocument`: IR goes beside the source, and beside it stays. */
  readonly show: NonNullable<Middleware["window"]>["showDocument"] = async (params, token, next) => {
    const uri = vscode.Uri.parse(params.uri);
    if (uri.scheme !== SCHEME) return next(params, token);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: column(), preserveFocus: true, preview: false });
    this.relink();
    return { success: true };
  };

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of [...this.registrations, this.changed, this.linked]) one.dispose();
  }

  /** The text has changed: until there is IR of it again, its lines belong to no line of it. */
  private outdated(source: vscode.Uri): void {
    const name = source.toString();
    clearTimeout(this.timer);
    let any = false;
    for (const [ir, rows] of this.maps) {
      if (!rows.some((row) => normal(row[1]) === name)) continue;
      this.maps.set(ir, []);
      any = true;
    }
    if (any) this.relink();
    // The server tells of new facts; an edit that only moves lines makes none.
    this.timer = setTimeout(() => {
      for (const { uri } of vscode.workspace.textDocuments) {
        if (this.maps.get(uri.toString())?.length === 0) this.changed.fire(uri);
      }
    }, QUIET_MS);
  }

  private relink(): void {
    if (vscode.window.activeTextEditor) this.link(vscode.window.activeTextEditor);
  }

  /** Marks what belongs to the selected lines of `editor`, on both sides. */
  private link(editor: vscode.TextEditor): void {
    const name = editor.document.uri.toString();
    const selected = (line: number) =>
      editor.selections.some(({ start, end }) => start.line <= line && line <= end.line);
    const isIr = editor.document.uri.scheme === SCHEME;
    for (const ir of vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === SCHEME)) {
      const rows = this.maps.get(ir.document.uri.toString()) ?? [];
      // From the IR: all that comes from the same lines of the source as the line with the cursor does.
      const places = isIr && ir.document.uri.toString() === name ? rows.filter((row) => selected(row[0])) : [];
      const wanted = new Set(places.map((row) => place(row)));
      const found = isIr
        ? rows.filter((row) => wanted.has(place(row)))
        : rows.filter((row) => selected(row[2]) && normal(row[1]) === name);
      mark(this.linked, ir, new Set(found.map((row) => row[0])), ir !== editor);
    }
    for (const source of vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme !== SCHEME)) {
      const uri = source.document.uri.toString();
      const rows = isIr
        ? (this.maps.get(name) ?? []).filter((row) => selected(row[0]) && normal(row[1]) === uri)
        : uri === name
          ? this.visibleRows().filter((row) => selected(row[2]) && normal(row[1]) === uri)
          : [];
      mark(this.linked, source, new Set(rows.map((row) => row[2])), source !== editor);
    }
  }

  private visibleRows(): Row[] {
    return vscode.window.visibleTextEditors.flatMap(({ document }) => [
      ...(this.maps.get(document.uri.toString()) ?? []),
    ]);
  }
}

/** The source document and the function that an IR document is of. */
export function origin(uri: vscode.Uri): { source: string; qualname: string } {
  const name = uri.path.replace(/^\//, "");
  return { source: uri.query, qualname: name.slice(0, name.lastIndexOf(".")) };
}

/** MLIR says behind everything where it comes from. Here the marks show that, and the text is easier to read without. */
function withoutLocations({ text, map }: Content): Content {
  const location = /\s*\bloc\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*\)/g;
  const lines: string[] = [];
  const moved = new Map<number, number>();
  for (const [index, line] of text.split("\n").entries()) {
    if (/^#loc\d* = /.test(line)) continue;
    moved.set(index, lines.length);
    lines.push(line.replace(location, ""));
  }
  const rows = map.flatMap(([line, ...rest]): Row[] => {
    const now = moved.get(line);
    return now === undefined ? [] : [[now, ...rest]];
  });
  return { text: lines.join("\n"), map: rows };
}

function isSame(document: vscode.TextDocument, uri: vscode.Uri, text: string): boolean {
  return document.uri.toString() === uri.toString() && document.getText() === text;
}

function mark(
  type: vscode.TextEditorDecorationType,
  editor: vscode.TextEditor,
  lines: Set<number>,
  reveal: boolean,
): void {
  const ranges = [...lines].map((line) => new vscode.Range(line, 0, line, 0));
  editor.setDecorations(type, ranges);
  const [first] = ranges;
  const seen = ranges.some((range) => editor.visibleRanges.some((visible) => visible.contains(range)));
  if (reveal && first && !seen) editor.revealRange(first, vscode.TextEditorRevealType.InCenter);
}

/** Where IR is already shown; else beside the source. */
function column(): vscode.ViewColumn {
  const group = vscode.window.tabGroups.all.find(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === SCHEME),
  );
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}

function place(row: Row): string {
  return `${row[2]} ${row[1]}`;
}

/** As VS Code spells it. */
function normal(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}
