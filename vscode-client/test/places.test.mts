// A program that lies in a folder which nobody trusts is recognised, however it is spelled.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { guarded, leadsThrough, program } from "../src/places.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
after(() => {
  rmSync(scratch, { recursive: true });
});
const workspace = join(scratch, "workspace");
const elsewhere = join(scratch, "elsewhere");
for (const folder of [workspace, elsewhere, `${workspace}-2`]) {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin/python"), "", { mode: 0o755 });
}

function link(name: string, target: string): string {
  const path = join(scratch, name);
  symlinkSync(target, path);
  return path;
}

const inside: Record<string, string> = {
  "the file itself": join(workspace, "bin/python"),
  "with dots": join(elsewhere, "x") + "/../../workspace/bin/python",
  "with dots that leave it again": `${workspace}/../elsewhere/bin/python`,
  "what does not exist yet": join(workspace, "later/python"),
  "relative to the home folder": relative(homedir(), join(workspace, "bin/python")),
  "a link to the file": link("file-link", join(workspace, "bin/python")),
  "a link to the folder": join(link("folder-link", workspace), "bin/python"),
  "a relative link": link("relative-link", "workspace/bin/python"),
  "a link to a link": link("second-link", join(scratch, "file-link")),
  "a link through it to another place": link("through", join(workspace, "out/python")),
  "a link in it to another place": join(workspace, "out/python"),
};
symlinkSync(join(elsewhere, "bin"), join(workspace, "out"));

for (const [name, path] of Object.entries(inside)) {
  test(`in the folder: ${name}`, () => {
    assert.ok(leadsThrough(program(path), [elsewhere + "-not", workspace]), path);
    assert.ok(leadsThrough(program(path), [link(`named-${name}`, workspace)]), "by another name of the folder");
  });
}

test("not in the folder", () => {
  const loop = link("loop", join(scratch, "loop"));
  for (const path of [
    join(elsewhere, "bin/python"),
    `${workspace}-2/bin/python`,
    `${elsewhere}/../workspace-2/bin/python`,
    join(elsewhere, "nowhere/python"),
    "nowhere-at-all",
    loop,
  ]) {
    assert.ok(!leadsThrough(program(path, ""), [workspace]), path);
  }
  assert.ok(!leadsThrough(join(elsewhere, "bin/python"), []));
});

test("a mere name is what PATH says", () => {
  assert.equal(program("python", `${elsewhere}/none:${join(workspace, "bin")}`), join(workspace, "bin/python"));
  const fromHome = relative(homedir(), join(workspace, "bin"));
  assert.ok(leadsThrough(program("python", fromHome), [workspace]), "a relative folder on PATH");
  assert.ok(!leadsThrough(program("python", join(elsewhere, "bin")), [workspace]));
});

test("what a Python that looks is given leads to nothing of the workspace", () => {
  const python = join(elsewhere, "bin/python");
  const given = {
    LD_LIBRARY_PATH: [
      "",
      "lib",
      workspace,
      join(elsewhere, "lib"),
      join(workspace, "lib"),
      inside["a link to the folder"],
    ].join(":"),
    LD_PRELOAD: `${join(workspace, "x.so")} libm.so:${join(elsewhere, "y.so")}`,
    PYTHONHOME: workspace,
    PYTHONPYCACHEPREFIX: "relative",
    PYTHONUSERBASE: elsewhere,
    PYTHONPATH: `${workspace}:${elsewhere}`,
    OTHER: workspace,
  };
  assert.deepEqual(guarded(given, python, [workspace]), {
    LD_LIBRARY_PATH: join(elsewhere, "lib"),
    LD_PRELOAD: `libm.so:${join(elsewhere, "y.so")}`,
    PYTHONUSERBASE: elsewhere,
    TRITON_LS_PYTHONPATH: `${workspace}:${elsewhere}`,
    OTHER: workspace,
  });
  assert.equal(guarded(given, python, [workspace], false).PYTHONPATH, given.PYTHONPATH);
  const own = { LD_LIBRARY_PATH: join(workspace, "lib/nvidia"), PYTHONHOME: workspace };
  assert.deepEqual(guarded(own, join(workspace, "bin/python"), [workspace]), own);
});
