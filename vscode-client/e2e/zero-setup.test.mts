// What an author sees who has installed the extension and done nothing else: the Python with triton is the first on PATH.
// One VS Code for all of it, because that is how it is used; each step goes on where the one before ended.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "node:test";
import { step, tidily, until, VSIX, Workbench, workspace } from "./workbench.mts";

const { scratch, folder } = workspace("zero-setup");
const SOFTMAX = "liger_kernel/ops/softmax.py";
const SPIN = `import triton
import triton.language as tl

# Nobody gives the lock back.


# triton-run: lock_ptr = ones(1, i32)
@triton.jit
def spin(lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
`;
let vscode: Workbench;

before(async () => {
  writeFileSync(join(folder, "spin.py"), SPIN);
  vscode = await Workbench.start({ scratch, folder, vsix: VSIX, path: `${join(scratch, "venv/bin")}:/usr/bin:/bin` });
});
tidily(() => vscode, scratch);

step("nothing runs for a Python file that does not mention triton", async () => {
  await vscode.open("liger_kernel/utils.py");
  await vscode.line("import").first().waitFor();
  await until("the extension is active", () => vscode.activated());
  await vscode.page.waitForTimeout(1000);
  assert.equal(vscode.log(), "");
});

step("the compiler's error is shown where the author made it", async () => {
  await vscode.openFile(SOFTMAX);
  await vscode.page.keyboard.press("Control+b"); // more room for the code
  await vscode.goTo(44, 12);
  await until("the error is underlined", async () => (await vscode.underlined("error")).includes(44));
  assert.match(vscode.log(), /python3?, from PATH: Python 3\.\d+\.\d+, Triton 3/);
  await vscode.hoverSays(/'dtype' object is not callable[\s\S]*tl\.full\(\[\], value, tl\.float32\)/);
  await vscode.screenshot("error");
});

step("what is shown follows the edits, until the kernel compiles", async () => {
  const underlined = () => vscode.underlined("error");
  await vscode.replaceLine(44, 'm = tl.full([], -float("inf"), tl.float32)');
  await until("the error has moved on to the next mistake", async () => (await underlined()).join() === "45");
  await vscode.replaceLine(45, "d = tl.full([], 0.0, tl.float32)");
  await until("another mistake is left, of another kind", async () => (await underlined()).length === 0);
  await vscode.replaceLine(51, "new_m = tl.maximum(m, blk_max)");
  await vscode.goTo(34, 6);
  await vscode.hoverSays(/\(parameter\) Y_ptr: \*fp32[\s\S]*written[^\n]*line 60[\s\S]*not read/);
  await vscode.screenshot("edited");
});

step("hovers tell of parameters, values and kernels", async () => {
  await vscode.goTo(15, 6);
  await vscode.hoverSays(/\(parameter\) X_ptr: \*fp32[\s\S]*not written[\s\S]*read[^\n]*line 24/);
  await vscode.goTo(21, 6);
  await vscode.hoverSays(/offs: int32\[BLOCK_SIZE\][\s\S]*BLOCK_SIZE = 64/);
  await vscode.goTo(12, 10);
  await vscode.hoverSays(/writes Y_ptr[\s\S]*reads X_ptr/);
  await vscode.screenshot("hover");
});

step("a finding leads to the line that writes", async () => {
  set("triton-ls.inlayHints.written", false);
  await vscode.goTo(13, 6);
  await until("dots take the place of the label", async () => (await vscode.underlined("hint")).includes(13));
  await vscode.hoverSays(/softmax\.py\(29, \d+\)/);
  await vscode.page
    .locator(".monaco-hover a", { hasText: /softmax\.py\(29/ })
    .first()
    .click();
  await until("the cursor is there", async () => /Ln 29,/.test(await vscode.page.locator(".statusbar").innerText()));
});

step("shapes and types stand beside what is assigned, and a mark at what is written", async () => {
  set("triton-ls.inlayHints.written", true);
  await vscode.goTo(12);
  await vscode
    .line(/^\s*Y_ptr\s*written,/)
    .first()
    .waitFor();
  await until("there is one mark for it", async () => !(await vscode.underlined("hint")).includes(13));
  const beside = /offs: int32\[BLOCK_SIZE\] = tl\.arange[\s\S]*e: fp32\[BLOCK_SIZE\] = tl\.exp/;
  await until("shapes stand there", async () => beside.test(await vscode.text()));
  await vscode.screenshot("inlay-hints");
  await vscode.replaceLine(21, "offs = tl.arange(0, 2 * BLOCK_SIZE)");
  await vscode.line("e: fp32[128] = tl.exp").waitFor();
  await vscode.replaceLine(21, "offs = tl.arange(0, BLOCK_SIZE)");
  await vscode.line("e: fp32[BLOCK_SIZE] = tl.exp").first().waitFor();
});

step("TTIR opens beside the source, and both sides show what belongs together", async () => {
  await vscode.goTo(26, 9);
  await vscode.command("Triton Kernels: Show TTIR");
  await vscode.line("math.exp", "ir").waitFor();
  await until("the IR of line 26 is marked", async () =>
    (await vscode.linked("ir")).some((line) => line.includes("math.exp")),
  );
  const marked = await vscode.linked("ir");
  assert.ok(
    marked.every((line) => /^%e/.test(line)),
    marked.join("\n"),
  );
  assert.deepEqual(await vscode.linked("source"), ["e: fp32[BLOCK_SIZE] = tl.exp(x - m)"]);
  await vscode.screenshot("ttir");

  await vscode.line("tt.load", "ir").click();
  await until("the line that loads is marked", async () =>
    (await vscode.linked("source")).join().includes("= tl.load("),
  );
  assert.ok((await vscode.linked("ir")).some((line) => line.includes("= tt.load")));
});

step("the IR follows the edits", async () => {
  await vscode.line("= tl.exp(x").first().click();
  await vscode.replaceLine(26, "e = tl.exp2(x - m)");
  await vscode.line("math.exp2", "ir").waitFor();
  await until("the new line is marked", async () =>
    (await vscode.linked("ir")).some((line) => line.includes("math.exp2")),
  );
});

step("lines that only move stay together", async () => {
  await vscode.goTo(10);
  await vscode.page.keyboard.insertText("# a comment\n");
  await vscode.line("= tl.exp2").click();
  await until("the line is marked", async () => (await vscode.linked("source")).join().endsWith("= tl.exp2(x - m)"));
  assert.ok((await vscode.linked("ir")).some((line) => line.includes("math.exp2")));
  await vscode.goTo(10);
  await vscode.page.keyboard.press("Control+Shift+k");
  await vscode.line("= tl.exp2").click();
  await until("and again", async () => (await vscode.linked("source")).join().endsWith("= tl.exp2(x - m)"));
});

step("machine code, too, and what it takes", async () => {
  await vscode.line("= tl.exp2").click();
  await vscode.command("Triton Kernels: Show IR or Assembly of a Stage...");
  await vscode.rows("SASS").waitFor();
  await vscode.screenshot("stages");
  await vscode.choose("PTX");
  await vscode.line("ex2.approx", "ir").first().waitFor();
  await until("the PTX of the line is marked", async () =>
    (await vscode.linked("ir")).some((line) => line.includes("ex2.approx")),
  );
  await vscode.screenshot("ptx");
  await vscode.line("= tl.exp2").click();
  await vscode.command("Triton Kernels: Show Registers, Spills and Shared Memory");
  await vscode.toast(/_softmax_single_block_forward_kernel: .*\d+ registers/).waitFor();
  await vscode.clearToasts();
  await vscode.goTo(12, 10);
  await vscode.hoverSays(/\(kernel\)[\s\S]*\d+ registers/);
  await vscode.screenshot("resources");
});

step("another target is chosen, and everything is compiled for that", async () => {
  await vscode.command("Triton Kernels: Choose Compile Target...");
  await vscode.rows("cuda:90").waitFor();
  await vscode.screenshot("targets");
  await vscode.choose("hip:gfx942");
  await until("the workspace's settings have it", () => setting("triton-ls.target") === "hip:gfx942");
  await until("the server compiles for it", async () => (await vscode.status()).includes("hip:gfx942"));
  await vscode.line("= tl.exp2").click();
  await vscode.command("Triton Kernels: Show IR or Assembly of a Stage...");
  await vscode.choose("AMDGCN");
  await vscode.line("v_exp_f32", "ir").waitFor();
  await vscode.line("v_exp_f32", "ir").click();
  await vscode.command("View: Close All Editors in Group");
});

step("a quick fix is applied and saved", async () => {
  set("triton-ls.inlayHints.written", false);
  await vscode.goTo(13, 6);
  await until("there are dots", async () => (await vscode.underlined("hint")).includes(13));
  await vscode.page.keyboard.press("Control+.");
  const menu = vscode.page.locator(".action-widget");
  await menu.getByText("Ignore `mutated-parameter` on this line").waitFor();
  await vscode.screenshot("quick-fix");
  await menu.getByText("Ignore `mutated-parameter` on this line").click();
  await until("the hint is gone", async () => !(await vscode.underlined("hint")).includes(13));
  await vscode.page.keyboard.press("Control+s");
  const file = () => readFileSync(join(folder, SOFTMAX), "utf8").split("\n");
  await until("it is on the disk", () =>
    /^ {4}Y_ptr, +# triton-ls: ignore\[mutated-parameter\]$/.test(file()[12] ?? ""),
  );
  assert.equal(file()[50]?.trim(), "new_m = tl.maximum(m, blk_max)");
});

step("an agent that is killed costs nothing but a moment", async () => {
  const before = vscode.agents();
  assert.ok(before.length > 0);
  for (const agent of before) process.kill(agent, "SIGKILL");
  await vscode.replaceLine(26, "e = tl.exp(x - n)");
  await until("a new mistake is found", async () => (await vscode.underlined("error")).includes(26));
  await vscode.replaceLine(26, "e = tl.exp(x - m)");
  await until("it is corrected", async () => !(await vscode.underlined("error")).includes(26));
  assert.ok(vscode.agents().every((agent) => !before.includes(agent)));
});

step("a server that is killed is started again", async () => {
  for (const server of vscode.servers()) process.kill(server, "SIGKILL");
  await until("there is another one", () =>
    /Connection to server got closed|The server ended with SIGKILL/.test(vscode.log()),
  );
  await vscode.goTo(15, 6);
  await vscode.hoverSays(/\(parameter\) X_ptr/);
});

step("a server that ends again and again is given up on, until the user says so", async () => {
  const givenUp = vscode.toast(/server ended \d+ times in a few minutes/);
  for (let times = 2; times <= 5; times++) {
    await vscode.hoverSays(/\(parameter\) X_ptr/);
    for (const server of vscode.servers()) process.kill(server, "SIGKILL");
    await until("it has ended", () => vscode.log().split("ended with SIGKILL").length > times);
  }
  await givenUp.waitFor();
  assert.match(await vscode.status(), /the server crashed/);
  await givenUp.getByText("Restart").click();
  await vscode.hoverSays(/\(parameter\) X_ptr/);
});

step("what a report of a problem needs is copied", async () => {
  await vscode.command("Triton Kernels: Copy Debug Information");
  await vscode.toast("Copied").waitFor();
  const text = await vscode.page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /extension 0\.1\.0, VS Code 1\.\d+/);
  assert.match(text, /Triton 3\.|"triton":"3\./);
  await vscode.clearToasts();
});

step("a kernel that is run has a page for what came of it", async () => {
  await vscode.command("Triton Kernels: Run Kernel");
  const page = vscode.page.frameLocator("iframe.webview").frameLocator("#active-frame");
  await page.locator("summary", { hasText: "_softmax_single_block_forward_kernel" }).waitFor({ timeout: 60_000 });
  await vscode.screenshot("run");
  await page.locator("summary").press("Enter");
  assert.equal(await page.locator("details[open]").count(), 0);
  await vscode.command("Triton Kernels: Run Again");
  await until("there are two runs", async () => (await page.locator("summary").count()) === 2);
});

step("a torch custom op is written below a kernel", async () => {
  // Beside the page of the run a file would open where nobody looks for it.
  await vscode.command("View: Focus First Editor Group");
  await vscode.openFile("liger_kernel/ops/rope.py");
  await vscode.goTo(8, 6);
  await vscode.command("Triton Kernels: Create torch Custom Op");
  await vscode.line('@triton_op("liger_kernel::triton_rope_", mutates_args={"q_ptr", "k_ptr"})').waitFor();
  await vscode.screenshot("custom-op");
  await vscode.page.keyboard.press("Control+z");
});

step("a run that never ends is cancelled", async () => {
  await vscode.openFile("spin.py");
  await vscode.goTo(9, 6);
  await vscode.command("Triton Kernels: Run Kernel");
  await vscode.toast("Running spin").hover();
  await vscode.toast("Running spin").getByText("Cancel").click();
  const page = vscode.page.frameLocator("iframe.webview").frameLocator("#active-frame");
  await page.locator("details[open]", { hasText: "The run was cancelled; its processes are gone." }).waitFor();
  const status = vscode.page.locator(".statusbar");
  await until("nothing is said to run", async () => !(await status.innerText()).includes("Running spin"));
});

function settings(): Record<string, unknown> {
  const file = join(folder, ".vscode/settings.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {};
}

function setting(name: string): unknown {
  return settings()[name];
}

function set(name: string, value: unknown): void {
  mkdirSync(join(folder, ".vscode"), { recursive: true });
  writeFileSync(join(folder, ".vscode/settings.json"), JSON.stringify({ ...settings(), [name]: value }));
}
