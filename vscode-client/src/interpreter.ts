// Which Python is used: the first of the sources' that has triton. May not start anything but the probe.

import type * as vscode from "vscode";
import { isOldPython, probe, type Python, Unusable } from "./python.ts";
import { folders, type Source, sources } from "./sources.ts";

/** `python` has triton; without one, `problem` says what to do. */
export type Choice = { readonly python: Python; readonly from: string } | { readonly problem: string };

const WAIT_MS = 20_000;

export async function choose(log: vscode.LogOutputChannel): Promise<Choice> {
  let first: string | undefined;
  for (const source of sources(log)) {
    const candidates = await patiently(source, log);
    for (const path of candidates) {
      const refused = await tried(path, source, log);
      if (typeof refused !== "string") return { python: refused, from: source.name };
      first ??= refused;
    }
    if (source.final && candidates.length) break;
  }
  return { problem: problem(first ?? "No Python was found.") };
}

async function tried(path: string, source: Source, log: vscode.LogOutputChannel): Promise<Python | string> {
  let refused: string;
  try {
    const python = await probe(path, folders());
    log.info(
      `${path}, from ${source.name}: Python ${python.version}, ${python.triton ? `Triton ${python.triton}` : "no Triton"}`,
    );
    if (python.triton !== null) return python;
    refused = isOldPython(python)
      ? `${path} is Python ${python.version}; Triton Kernels needs Python 3.10 or newer with Triton in it.`
      : `There is no Triton in ${path}.`;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    refused = error.message;
    log.warn(`${source.name}: ${refused}`);
  }
  return refused;
}

/** Another extension that does not answer, or fails, must not keep us from looking further. */
async function patiently(source: Source, log: vscode.LogOutputChannel): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${WAIT_MS / 1000} seconds`));
    }, WAIT_MS);
  });
  try {
    return await Promise.race([source.candidates(), late]);
  } catch (error) {
    log.warn(`${source.name} was passed over: ${String(error)}`);
    return [];
  } finally {
    clearTimeout(timer);
  }
}

function problem(found: string): string {
  if (process.platform === "linux") return `${found} Choose the Python that has it, or install it there.`;
  const system = process.platform === "darwin" ? "macOS" : "Windows";
  const ways = process.platform === "darwin" ? "Remote-SSH or Dev Containers" : "WSL, Remote-SSH or Dev Containers";
  return `${found} Triton has wheels for Linux only: on ${system}, open the folder with ${ways}.`;
}
