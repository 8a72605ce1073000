// An interpreter that has no triton: one message says so, and the way out of it works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before } from "node:test";
import { PYTHON, step, tidily, until, VSIX, Workbench, workspace } from "./workbench.mts";

const { scratch, folder } = workspace("no-triton");
const bare = join(scratch, "bare/bin/python");
let vscode: Workbench;

before(async () => {
  execFileSync(PYTHON, ["-m", "venv", "--without-pip", dirname(dirname(bare))]);
  vscode = await Workbench.start({
    scratch,
    folder,
    vsix: VSIX,
    machine: { "triton-ls.interpreter": bare },
    path: `${join(scratch, "venv/bin")}:/usr/bin:/bin`,
  });
});
tidily(() => vscode, scratch);

step("one message says what is missing", async () => {
  await vscode.open("liger_kernel/ops/softmax.py");
  await vscode.toast(`There is no Triton in ${bare}.`).waitFor();
  await vscode.screenshot("no-triton");
  assert.match(await vscode.status(), /no Triton found/);
  // Looking at another file, and again, is no reason to say it again.
  await vscode.openFile("liger_kernel/ops/rope.py");
  await vscode.page.waitForTimeout(500);
  assert.equal(await vscode.toasts().count(), 1);
  assert.deepEqual(vscode.servers(), []);
});

step("its button leads to another interpreter, and that one works", async () => {
  await vscode.toast("There is no Triton").getByText("Select Interpreter").click();
  await vscode.rows(/\/venv\/bin\/python3.*Triton 3/).waitFor();
  await vscode.screenshot("interpreter");
  await vscode.choose(/\/venv\/bin\/python3/);
  await vscode
    .line(/^\s*\w+\s*written,/)
    .first()
    .waitFor();
  const settings = readFileSync(join(folder, ".vscode/settings.json"), "utf8");
  assert.match(settings, /"triton-ls.interpreter": ".*\/venv\/bin\/python3"/);
  // The other file is analysed after this one.
  await until("all is said", async () => /Triton Kernels: ready[\s\S]*Triton 3/.test(await vscode.status()));
});
