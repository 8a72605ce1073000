// A workspace that nobody has said is trusted: kernels are analysed, and nothing of the workspace runs.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "node:test";
import { PYTHON, step, tidily, until, VSIX, Workbench, workspace } from "./workbench.mts";

const { scratch, folder } = workspace("untrusted");
const wrapper = join(folder, "python");
const ran = join(scratch, "ran");
let vscode: Workbench;

before(async () => {
  // What a workspace could do to its reader: it names the program that is to run. This one leaves a trace.
  writeFileSync(wrapper, `#!/bin/sh\ntouch ${ran}\nexec ${PYTHON} "$@"\n`, { mode: 0o755 });
  mkdirSync(join(folder, ".vscode"));
  const settings = { "triton-ls.interpreter": wrapper, "python.defaultInterpreterPath": wrapper };
  writeFileSync(join(folder, ".vscode/settings.json"), JSON.stringify(settings));
  const path = `${join(scratch, "venv/bin")}:/usr/bin:/bin`;
  vscode = await Workbench.start({ scratch, folder, vsix: VSIX, path, untrusted: true });
});
tidily(() => vscode, scratch);

step("kernels are analysed, with the user's own Python", async () => {
  await vscode.open("liger_kernel/ops/rope.py");
  await vscode
    .line(/^\s*q_ptr\s*written,/)
    .first()
    .waitFor();
  await vscode.goTo(8, 6);
  await vscode.hoverSays(/\(parameter\) q_ptr[\s\S]*written/);
  await vscode.screenshot("untrusted");
  assert.match(vscode.log(), /from PATH: Python/);
  assert.ok(!existsSync(ran), "the workspace's own program was run");
});

step("running a kernel is not offered", async () => {
  assert.ok(await vscode.offers("Triton Kernels: Show TTIR"));
  assert.ok(!(await vscode.offers("Triton Kernels: Run Kernel")));
});

step("trust turns on what was off", async () => {
  await vscode.command("Workspaces: Manage Workspace Trust");
  await vscode.page.locator(".workspace-trust-editor").getByText("Trust", { exact: true }).first().click();
  await until("the workspace's interpreter is used", () => existsSync(ran));
  await until("it is found", () => vscode.log().includes(`${wrapper}, from the setting triton-ls.interpreter`));
  await until("a kernel can be run", () => vscode.offers("Triton Kernels: Run Kernel"));
});
