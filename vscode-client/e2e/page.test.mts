// The page of runs in a browser: what only a GPU could give, times of configs, is what one has given (docs/runs-gpu.md).

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { type Config, page } from "../src/page.ts";
import { CHROMIUM, FLAGS, SCREENSHOTS } from "./workbench.mts";

const COLOURS = `:root { --vscode-font-family: sans-serif; --vscode-font-size: 13px; --vscode-foreground: #ccc;
  --vscode-charts-blue: #3794ff; --vscode-charts-green: #89d185; } body { background: #1f1f1f; }`;

test("configs are a chart, the fastest first, and what was not timed says why", async () => {
  const common = { GROUP: 8, resources: { registers: 220 } };
  const configs: Config[] = [
    { BLOCK_M: 128, BLOCK_N: 128, ...common, num_warps: 4, time_ms: { median: 0.24 } },
    { BLOCK_M: 128, BLOCK_N: 256, ...common, num_warps: 8, time_ms: { median: 0.204 } },
    { BLOCK_M: 64, BLOCK_N: 64, ...common, num_warps: 4, time_ms: { median: 0.451 } },
    { BLOCK_M: 256, BLOCK_N: 256, ...common, num_warps: 4, error: "out of resource: shared memory" },
  ];
  assert.ok(CHROMIUM, "chromium is missing: make test-vscode installs it");
  mkdirSync(SCREENSHOTS, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const view = await browser.newPage({ viewport: { width: 800, height: 300 } });
    await view.setContent(page([{ title: "matmul_kernel", time: "12:00", html: "", configs }]));
    await view.addStyleTag({ content: COLOURS });
    const bars = await view.locator(".bar").evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    const [first = 0, second = 0, last = 0] = bars;
    assert.equal(bars.length, 3);
    assert.ok(
      Math.abs(first / last - 0.204 / 0.451) < 0.01 && Math.abs(second / last - 0.24 / 0.451) < 0.01,
      bars.join(),
    );
    const rows = (await view.locator(".chart").innerText()).split("\n").filter((line) => line.trim());
    assert.deepEqual(rows.slice(0, 2), ["BLOCK_M=128, BLOCK_N=256, GROUP=8, num_warps=8", "0.204 ms"]);
    assert.equal(rows.at(-1), "out of resource: shared memory");
    await view.screenshot({ path: join(SCREENSHOTS, "configs.png") });
  } finally {
    await browser.close();
  }
});
