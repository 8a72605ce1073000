// A kernel is typed, key by key: what was there stays, and nothing turns red that is merely not finished.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "node:test";
import { step, tidily, until, VSIX, Workbench, workspace } from "./workbench.mts";

const KERNELS = `import triton
import triton.language as tl


@triton.jit
def mean(x, n):
    return tl.sum(x, axis=0) / n


@triton.jit
def norm_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)
`;
const LAST = KERNELS.split("\n").length - 1;
// Nothing that types along: what is typed is what is there.
const QUIET = {
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.wordBasedSuggestions": "off",
  "editor.parameterHints.enabled": false,
  "editor.autoClosingBrackets": "never",
};
const HINT = /[:~]\s(?:fp32|int32|int1)\[/;

const { scratch, folder } = workspace("typing");
let vscode: Workbench;

before(async () => {
  writeFileSync(join(folder, "norm.py"), KERNELS);
  mkdirSync(join(folder, ".vscode"));
  writeFileSync(join(folder, ".vscode/settings.json"), JSON.stringify(QUIET));
  vscode = await Workbench.start({ scratch, folder, vsix: VSIX, path: `${join(scratch, "venv/bin")}:/usr/bin:/bin` });
});
tidily(() => vscode, scratch);

interface Seen {
  keys: number;
  flashes: number;
  red: number;
  blanked: number;
  lenses: number;
}

/** Types, and looks after each key at what is on the screen. */
async function type(text: string, keysPerSecond: number): Promise<Seen> {
  const seen: Seen = { keys: 0, flashes: 0, red: 0, blanked: 0, lenses: 0 };
  let red = false;
  for (const key of text) {
    const end = Date.now() + 1000 / keysPerSecond;
    await vscode.page.keyboard.press(key === "\n" ? "Enter" : key);
    await vscode.page.waitForTimeout(Math.max(0, end - Date.now() - 25));
    const now = (await vscode.underlined("error")).length > 0;
    seen.keys += 1;
    seen.flashes += now && !red ? 1 : 0;
    seen.red += now ? 1 : 0;
    red = now;
    // The lines of the body that were there before: `offsets`, `mask` and `x`.
    const lines = (await vscode.text()).split("\n").filter((line) => HINT.test(line));
    seen.blanked += lines.length < 3 ? 1 : 0;
    seen.lenses += (await vscode.page.locator(".codelens-decoration", { hasText: "Run kernel" }).count()) === 1 ? 0 : 1;
    await vscode.page.waitForTimeout(Math.max(0, end - Date.now()));
  }
  return seen;
}

function check(seen: Seen): void {
  console.log(JSON.stringify(seen));
  // A machine that is busy with other things makes a pause where nobody makes one.
  assert.ok(seen.flashes <= 2 && seen.red <= seen.keys / 8, JSON.stringify(seen));
  assert.ok(seen.blanked <= seen.keys / 20, JSON.stringify(seen));
  assert.ok(seen.lenses <= seen.keys / 20, JSON.stringify(seen));
}

step("the file is analysed, and the lens stands above the decorator", async () => {
  await vscode.open("norm.py");
  await vscode.line(HINT).nth(2).waitFor();
  const lens = vscode.page.locator(".codelens-decoration", { hasText: "Run kernel" });
  await lens.waitFor();
  const [above, below] = [await lens.boundingBox(), await vscode.line("@triton.jit").nth(1).boundingBox()];
  assert.ok(above && below && above.y < below.y, "the lens is below the decorator");
});

step("at 12 keys a second", async () => {
  await vscode.goTo(LAST - 1);
  await vscode.page.keyboard.press("End");
  const end = KERNELS.split("\n")[LAST - 2]?.length ?? 0;
  await vscode.page.locator(".statusbar-item", { hasText: `Ln ${LAST - 1}, Col ${end + 1}` }).waitFor();
  check(await type("\naverage = mean(x, n)\ncentred = tl.where(mask, x - average, 0.0)", 12));
});

step("at 5 keys a second", async () => {
  check(await type("\nsquare = tl.sum(centred * centred)", 5));
});

step("who stops in the middle of a line is told, and what was known is marked", async () => {
  await vscode.page.keyboard.press("Enter");
  await type("rstd = 1 / tl.sqrt(", 12);
  await until("the error is underlined", async () => (await vscode.underlined("error")).length > 0);
  await vscode
    .line(/mask\s?~\sint1\[/)
    .first()
    .waitFor();
  await vscode.screenshot("typing");
  await type("square)", 12);
  await until("it goes", async () => (await vscode.underlined("error")).length === 0);
  await vscode
    .line(/rstd:\sfp32/)
    .first()
    .waitFor();
});
