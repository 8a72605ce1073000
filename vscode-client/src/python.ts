// What a Python is like: its version and its triton. May not decide which one is used.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { guarded } from "./places.ts";

/** A Python that answered. `triton` is null when there is none in it. */
export interface Python {
  readonly path: string;
  readonly version: string;
  readonly triton: string | null;
}

/** Why a Python can't be used, in words for the user. */
export class Unusable extends Error {}

const TIMEOUT_MS = 15_000;

// What asks: bundled beside the code that it shares with the analysis.
const PROBE = join(__dirname, "..", "bundled", "probe.py");

export function isOldPython(python: Python): boolean {
  const [major = 0, minor = 0] = python.version.split(".").map(Number);
  return major < 3 || (major === 3 && minor < 10);
}

/** Asks the Python itself. -S: what is installed in it is looked at without what lies in the workspace's folders. */
export function probe(path: string, folders: readonly string[]): Promise<Python> {
  return new Promise((resolve, reject) => {
    execFile(
      path,
      ["-S", PROBE, ...folders],
      { cwd: homedir(), env: guarded(process.env, path, folders), timeout: TIMEOUT_MS, windowsHide: true },
      (error, stdout, stderr) => {
        if (error) {
          reject(new Unusable(reason(path, error, stderr)));
          return;
        }
        try {
          // A start-up file may print, too: the last line is ours.
          const last = stdout.trimEnd().split("\n").at(-1) ?? "";
          resolve({ path, ...(JSON.parse(last) as { version: string; triton: string | null }) });
        } catch {
          reject(new Unusable(`${path} does not answer as Python does: ${stdout.trim().slice(0, 200)}`));
        }
      },
    );
  });
}

function reason(path: string, error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === "ENOENT") return `${path} does not exist.`;
  if (error.code === "EACCES") return `${path} is not executable.`;
  if (error.killed) return `${path} did not answer within ${TIMEOUT_MS / 1000} seconds.`;
  return `${path} does not work: ${stderr.trim().split("\n").at(-1) ?? error.message}`;
}
