// A real VS Code for the tests: code-server, which is VS Code behind a web server, and chromium, driven by Playwright.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, createWriteStream, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join, resolve } from "node:path";
import { tmpdir } from "node:os";
import { after, afterEach, test } from "node:test";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";

const REPOSITORY = resolve(import.meta.dirname, "../..");
export const CACHE = join(REPOSITORY, ".cache");
export const PYTHON = join(REPOSITORY, ".venv/bin/python");
export const VSIX = join(REPOSITORY, "vscode-client/triton-kernels.vsix");
export const SCREENSHOTS = join(CACHE, "screenshots");
const CODE_SERVER = join(CACHE, "code-server-4.139.1/node_modules/code-server/out/node/entry.js");
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

/** For one thing to happen; the first start of a VS Code takes a minute on a slow machine. */
const PATIENCE_S = 180;

export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A sober window: nothing that asks, moves, or changes from run to run. */
const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.cursorBlinking": "solid",
  "editor.fontFamily": "DejaVu Sans Mono",
  "editor.fontSize": 13,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.occurrencesHighlight": "off",
  "editor.selectionHighlight": false,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.editor.useModal": "off",
  "workbench.layoutControl.enabled": false,
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

export interface Options {
  /** A new, empty folder for all that this VS Code writes. */
  readonly scratch: string;
  readonly folder: string;
  readonly vsix: string;
  /** What the settings of this machine say. The user's must not hold a setting whose scope is a machine: VS Code drops it
   * once it knows the extension, and a start that comes before that takes it nevertheless. */
  readonly machine?: Record<string, unknown>;
  readonly path: string;
  /** The workspace is not trusted, as in a fresh VS Code. */
  readonly untrusted?: boolean;
}

export class Workbench {
  readonly page: Page;
  private readonly options: Options;
  private readonly browser: Browser;
  private readonly server: ChildProcess;
  private readonly port: number;

  private constructor(options: Options, browser: Browser, page: Page, server: ChildProcess, port: number) {
    this.options = options;
    this.browser = browser;
    this.page = page;
    this.server = server;
    this.port = port;
  }

  static async start(options: Options): Promise<Workbench> {
    if (!CHROMIUM) throw new Error("chromium is missing: make test-vscode installs it");
    const folders = [
      "--user-data-dir",
      join(options.scratch, "data"),
      "--extensions-dir",
      join(options.scratch, "ext"),
    ];
    const config = join(options.scratch, "config.yaml");
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const [where, settings] of Object.entries({ User: SETTINGS, Machine: options.machine ?? {} })) {
      mkdirSync(join(options.scratch, "data", where), { recursive: true });
      writeFileSync(join(options.scratch, "data", where, "settings.json"), JSON.stringify(settings));
    }
    writeFileSync(config, "");
    // VS Code takes PATH from the user's login shell.
    writeFileSync(join(options.scratch, ".bash_profile"), `export PATH="${options.path}"\n`);
    const env = { HOME: options.scratch, PATH: options.path, SHELL: "/bin/bash", LANG: "C.UTF-8" };
    const start = (args: string[]) => {
      const log = createWriteStream(join(options.scratch, "code-server.log"), { flags: "a" });
      const child = spawn(process.execPath, [CODE_SERVER, "--config", config, ...folders, ...args], {
        env,
        detached: true,
      });
      child.stdout.pipe(log);
      child.stderr.pipe(log);
      return child;
    };

    const code = await exit(start(["--install-extension", options.vsix]));
    if (code !== 0)
      throw new Error(
        `the extension was not installed: ${readFileSync(join(options.scratch, "code-server.log"), "utf8")}`,
      );
    const port = await freePort();
    const trust = options.untrusted ? [] : ["--disable-workspace-trust"];
    const server = start([
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--reconnection-grace-time", "1", ...trust],
      ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
    ]);
    await until("code-server answers", async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_S * 1000);
    return new Workbench(options, browser, page, server, port);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    if (this.server.exitCode !== null || this.server.pid === undefined) return;
    const ended = exit(this.server);
    process.kill(-this.server.pid, "SIGTERM"); // the group: code-server, the extension host, our server, its agents
    await ended;
  }

  /** Opens the folder, and a file of it in the editor. */
  async open(file: string): Promise<void> {
    const uri = `vscode-remote://127.0.0.1:${this.port}${join(this.options.folder, file)}`;
    const query = new URLSearchParams({ folder: this.options.folder, payload: JSON.stringify([["openFile", uri]]) });
    await this.page.goto(`http://127.0.0.1:${this.port}/?${query.toString()}`);
    await this.page.locator(".tab.active", { hasText: basename(file) }).waitFor();
    await this.line(/./).first().waitFor();
  }

  /** Opens a file in the folder that is open. */
  async openFile(file: string): Promise<void> {
    await this.page.keyboard.press("Control+p");
    await this.input.fill(file);
    await this.rows(basename(file)).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: basename(file) }).waitFor();
  }

  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled", caret: "initial" });
  }

  /** A command of the palette, by its full title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.input.waitFor();
    await this.input.fill(`>${title}`);
    const entry = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await entry.click();
  }

  get input(): Locator {
    return this.page.locator(".quick-input-widget input[type=text]");
  }

  /** The rows of an open pick. */
  rows(text?: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", text === undefined ? {} : { hasText: text });
  }

  async choose(text: string | RegExp): Promise<void> {
    await this.rows(text).first().click();
    await this.input.waitFor({ state: "hidden" });
  }

  /** What the language status (the braces beside "Python") says. */
  async status(): Promise<string> {
    await this.page.locator("[id='status.languageStatus']").hover();
    const hover = this.page.locator(".hover-language-status");
    await hover.first().waitFor();
    const text = (await hover.allInnerTexts()).join("\n");
    await this.page.mouse.move(640, 2); // away from it, so that it closes
    return text;
  }

  /** Is this among the commands of the palette? */
  async offers(title: string): Promise<boolean> {
    await this.page.keyboard.press("F1");
    await this.input.fill(`>${title}`);
    await this.rows(/./).first().waitFor(); // "No matching commands" is a row, too
    const found = (await this.rows(title).count()) > 0;
    await this.page.keyboard.press("Escape");
    return found;
  }

  async clearToasts(): Promise<void> {
    await this.command("Notifications: Clear All Notifications");
  }

  toasts(): Locator {
    return this.page.locator(".notification-toast");
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  /** The editor with the source, or the one beside it with the IR. */
  editor(which: "source" | "ir" = "source"): Locator {
    const scheme = which === "ir" ? "triton-ls-ir" : "vscode-remote";
    return this.page.locator(`.editor-instance .monaco-editor[data-uri^="${scheme}:"]`).first();
  }

  /** The lines in view that have this text. */
  line(text: string | RegExp, which: "source" | "ir" = "source"): Locator {
    return this.editor(which).locator(".view-line", { hasText: text });
  }

  /** The text in view, line by line, inlay hints and all. */
  async text(which: "source" | "ir" = "source"): Promise<string> {
    const lines = await this.editor(which)
      .locator(".view-line")
      .evaluateAll((rows) =>
        rows
          .map((row) => ({ top: Number.parseFloat((row as HTMLElement).style.top), text: row.textContent }))
          .sort((one, other) => one.top - other.top)
          .map(({ text }) => text.replaceAll("\u00a0", " ")),
      );
    return lines.join("\n");
  }

  /** The text of the lines in view that the extension has marked as belonging together. */
  async linked(which: "source" | "ir"): Promise<string[]> {
    return this.editor(which).evaluate((editor) => {
      const tops = (selector: string) =>
        [...editor.querySelectorAll<HTMLElement>(selector)].map((element) => ({ element, top: element.style.top }));
      const marked = tops(".view-overlays > div")
        .filter(({ element }) => element.querySelector("[class*='TextEditorDecorationType']"))
        .map(({ top }) => top);
      const lines = tops(".view-line").filter(({ top }) => marked.includes(top));
      return lines.map(({ element }) => element.textContent.replaceAll("\u00a0", " ").trim());
    });
  }

  /** Puts the cursor onto a line (from 1), and the line into view. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press("Control+g");
    await this.input.fill(`:${line}:${column}`);
    await this.rows(new RegExp(`line ${line}\\b`)).waitFor();
    await this.page.keyboard.press("Enter");
    await this.input.waitFor({ state: "hidden" });
    // The next key is the editor's only once it has the focus again.
    await this.editor().locator(":focus").waitFor({ state: "attached" });
  }

  /** The numbers of the lines in view that are underlined. */
  async underlined(kind: "error" | "warning" | "hint"): Promise<number[]> {
    return this.editor().evaluate((editor, kind) => {
      const all = [...editor.querySelectorAll<HTMLElement>(`.view-overlays > div:has(.squiggly-${kind})`)];
      const tops = new Set(all.map(({ style }) => style.top));
      const rows = [...editor.querySelectorAll<HTMLElement>(".margin-view-overlays > div")];
      const found = rows.filter(({ style }) => tops.has(style.top));
      return found.map((row) => Number(row.querySelector(".line-numbers")?.textContent)).sort((a, b) => a - b);
    }, kind);
  }

  /** Replaces a line (from 1) of the source, but for its indentation. */
  async replaceLine(line: number, text: string): Promise<void> {
    await this.goTo(line);
    await this.page.keyboard.press("Home");
    await this.page.keyboard.press("Shift+End");
    await this.page.keyboard.insertText(text);
  }

  /** Waits until the hover at the cursor says this. It is opened again and again: it does not change once it is shown. */
  async hoverSays(what: RegExp): Promise<void> {
    let last = "";
    const said = async () => {
      await this.page.keyboard.press("Escape"); // what an earlier one says may be old
      await this.page.keyboard.press("Control+k");
      await this.page.keyboard.press("Control+i");
      const hover = this.page.locator(".monaco-hover:not(.hidden)", { has: this.page.locator(".hover-row") });
      const end = Date.now() + 2000;
      while (Date.now() < end) {
        last = (await hover.allInnerTexts()).join("\n");
        if (what.test(last)) return true;
        await this.page.waitForTimeout(50);
      }
      return false;
    };
    try {
      await until(`a hover that says ${String(what)}`, said);
    } catch (error) {
      throw new Error(`${String(error)}; it says: ${last}`, { cause: error });
    }
  }

  /** All that the extension has logged. */
  log(): string {
    return this.logs("Triton Kernels.log");
  }

  /** VS Code has started the extension. */
  activated(): boolean {
    return /_doActivateExtension triton-ls\.triton-kernels/.test(this.logs("remoteexthost.log"));
  }

  /** The processes of this VS Code that run kernels' analysis. */
  agents(): number[] {
    return this.processes(/kernel_analysis\/agent/);
  }

  /** The language servers of this VS Code. */
  servers(): number[] {
    return this.processes(/bundled\0serve/);
  }

  private processes(command: RegExp): number[] {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return all.map(Number).filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.includes(this.options.scratch) && command.test(line);
      } catch {
        return false; // it has just ended
      }
    });
  }

  private logs(name: string): string {
    const logs = join(this.options.scratch, "data/logs");
    const files = existsSync(logs) ? readdirSync(logs, { recursive: true, encoding: "utf8" }) : [];
    return files
      .filter((file) => basename(file) === name)
      .map((file) => readFileSync(join(logs, file), "utf8"))
      .join("\n");
  }
}

/** A copy of real kernels in a folder of its own; beside it `venv`, which has triton, and all that VS Code writes. */
export function workspace(name: string): { scratch: string; folder: string } {
  const scratch = mkdtempSync(join(tmpdir(), `triton-${name}-`));
  const folder = join(scratch, "liger-kernel");
  symlinkSync(join(REPOSITORY, ".venv"), join(scratch, "venv"));
  cpSync(join(CACHE, "liger-kernel-0.8.5/liger_kernel"), join(folder, "liger_kernel"), { recursive: true });
  return { scratch, folder };
}

let broken = false;

/** A test that goes on where the one before it ended: when that failed, this one says nothing. */
export function step(name: string, work: () => Promise<void>): void {
  void test(name, async (context) => {
    if (broken) {
      context.skip("an earlier step failed");
      return;
    }
    broken = true;
    await work();
    broken = false;
  });
}

/** Ends it; a test that failed leaves what a person would look at first. */
export function tidily(vscode: () => Workbench, scratch: string): void {
  afterEach(async (context) => {
    if ("passed" in context && !context.passed) {
      await vscode().screenshot(`failed ${context.name}`);
      const shown = await vscode().toasts().allInnerTexts();
      console.error(`${context.name} failed. Messages shown: ${JSON.stringify(shown)}; the log:\n${vscode().log()}`);
    }
  });
  after(async () => {
    await vscode().stop();
    rmSync(scratch, { recursive: true, force: true });
  });
}

/** Waits until something is so; says what was not, if it never is. */
export async function until(what: string, so: () => boolean | Promise<boolean>, seconds = PATIENCE_S): Promise<void> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await so()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never within ${seconds} s: ${what}`, { cause: last });
}

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("exit", resolve);
    child.once("error", reject);
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
