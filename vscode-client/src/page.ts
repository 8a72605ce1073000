// The page that shows runs of kernels, as HTML without scripts. Knows nothing of VS Code but its colours.

/** A config of an autotuned kernel: its options by name, and its time or why it has none. */
export type Config = Readonly<Record<string, unknown>> & {
  readonly time_ms?: { readonly median: number };
  readonly error?: string;
};

export interface Run {
  readonly title: string;
  readonly time: string;
  readonly html: string;
  readonly configs: readonly Config[];
}

const NO_OPTIONS = ["time_ms", "resources", "error"];

/** `<details>` open and close with mouse and keyboard, so that the page needs no script and may have none. */
export function page(runs: readonly Run[]): string {
  const sections = runs.map(
    ({ title, time, html, configs }, index) => `
      <details ${index === runs.length - 1 ? "open" : ""}>
        <summary><strong>${escape(title)}</strong> <time>${escape(time)}</time></summary>
        <div>${html}${configs.length > 1 ? chart(configs) : ""}</div>
      </details>`,
  );
  return `<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Kernel Runs</title>
        <style>
          body { font: var(--vscode-font-size) var(--vscode-font-family); color: var(--vscode-foreground); padding: 0.5em 1.2em; }
          summary { cursor: pointer; padding: 0.4em 0; }
          summary:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
          time { color: var(--vscode-descriptionForeground); margin-left: 0.6em; }
          details { border-bottom: 1px solid var(--vscode-panel-border); }
          details > div { overflow-x: auto; padding-bottom: 0.6em; }
          h1 { font-size: 1.2em; }
          h1 code { background: none; }
          h2 { font-size: 1.05em; }
          table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
          th, td { text-align: left; white-space: nowrap; padding: 0.2em 0.9em 0.2em 0; border-bottom: 1px solid var(--vscode-panel-border); }
          code, pre { font-family: var(--vscode-editor-font-family); }
          .chart { display: grid; grid-template-columns: max-content minmax(8em, 24em) max-content; gap: 0.25em 0.9em; }
          .bar { background: var(--vscode-charts-blue); height: 1em; min-width: 1px; align-self: center; }
          .fastest { background: var(--vscode-charts-green); }
          .message { white-space: pre-wrap; }
          pre { background: var(--vscode-textCodeBlock-background); padding: 0.6em; overflow-x: auto; }
        </style>
      </head>
      <body>${sections.reverse().join("")}</body>
    </html>`;
}

/** What is shown where there is no result: the message may quote a kernel, so that no markup of it counts. */
export function failure(qualname: string, message: string): string {
  return `<p><strong>${escape(qualname)} was not run.</strong></p><p class="message">${escape(message)}</p>`;
}

/** A bar a config, as long as it takes beside the slowest; the fastest first. */
function chart(configs: readonly Config[]): string {
  const timed = configs.flatMap((config) => (config.time_ms ? [{ config, time: config.time_ms.median }] : []));
  timed.sort((one, other) => one.time - other.time);
  const slowest = Math.max(...timed.map(({ time }) => time));
  const bars = timed.map(
    ({ config, time }, index) => `
      <code>${escape(options(config))}</code>
      <div class="bar ${index === 0 ? "fastest" : ""}" style="width: ${((100 * time) / slowest).toFixed(1)}%"></div>
      <span>${time.toPrecision(3)} ms</span>`,
  );
  const rest = configs.filter((config) => !config.time_ms);
  const untimed = rest.map(
    (config) => `<code>${escape(options(config))}</code><span></span><span>${escape(config.error ?? "")}</span>`,
  );
  return `<h2>Configs by time</h2><div class="chart">${bars.join("")}${untimed.join("")}</div>`;
}

function options(config: Config): string {
  const shown = Object.entries(config).filter(([name]) => !NO_OPTIONS.includes(name));
  return shown.map(([name, value]) => `${name}=${String(value)}`).join(", ");
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
