// What a kernel's text says stays text: in hovers and on the page of runs, as the Markdown renderer of VS Code's hovers reads it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { Marked } from "marked";
import { asMessage } from "../src/messages.ts";
import { failure, page } from "../src/page.ts";

const REPOSITORY = resolve(import.meta.dirname, "../..");
const OURS = /<\/?(?:p|strong|code|pre|ul|li|h1|h2|table|thead|tbody|tr|th|td)(?: class="language-python")?>|<br>/g;

interface Shown {
  readonly hostile: string[];
  readonly markdown: Record<string, string>;
}

const shown = JSON.parse(
  execFileSync(join(REPOSITORY, ".venv/bin/python"), ["tests/server/hostile_text.py"], {
    cwd: REPOSITORY,
    encoding: "utf8",
    env: { ...process.env, PYTHONPATH: "analysis:server" },
  }),
) as Shown;

function rendered(markdown: string): string {
  return new Marked({ gfm: true }).parse(markdown, { async: false });
}

function decoded(html: string): string {
  const names: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  return html.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => names[name] ?? "");
}

for (const [name, markdown] of Object.entries(shown.markdown)) {
  test(`nothing comes of it: ${name}`, () => {
    const html = rendered(markdown);
    const left = html.replace(OURS, "");
    assert.ok(!/<[a-z/!]/i.test(left), `a tag that is not ours:\n${html}`);
  });
}

test("and it is all there", () => {
  const all = Object.values(shown.markdown).map((markdown) => rendered(markdown));
  const text = decoded(all.join("\n").replace(OURS, ""));
  for (const one of shown.hostile) assert.ok(text.includes(one.replaceAll("`", "")) || text.includes(one), one);
});

test("a failure is text on the page", () => {
  for (const one of shown.hostile) {
    const html = failure(one, one);
    assert.ok(!/<[a-z/!]/i.test(html.replace(/<\/?(?:p|strong)(?: class="message")?>/g, "")), html);
    const whole = page([
      {
        title: one,
        time: one,
        html,
        configs: [
          { GROUP: one, error: one },
          { GROUP: 1, error: one },
        ],
      },
    ]);
    assert.ok(!/<(?:img|script|a|iframe|svg|b|base|form|object|link)\b/i.test(whole), whole);
  }
});

test("a notification has no links", () => {
  assert.equal(asMessage(new Error("[run](command:x) [a](https://x)")), "[run] (command:x) [a] (https://x)");
});

test("nothing of ours asks VS Code to trust text", () => {
  const folder = join(REPOSITORY, "vscode-client/src");
  for (const file of readdirSync(folder)) {
    const source = readFileSync(join(folder, file), "utf8");
    assert.ok(!/supportHtml|isTrusted\s*[:=]\s*true|enableCommandUris|enableScripts: true/.test(source), file);
  }
});
