// What a Python is like: its version and its triton. May not decide which one is used.

import { execFile } from "node:child_process";
import { homedir } from "node:os";

/** A Python that answered. `triton` is null when there is none in it. */
export interface Python {
  readonly path: string;
  readonly version: string;
  readonly triton: string | null;
}

/** Why a Python can't be used, in words for the user. */
export class Unusable extends Error {}

const TIMEOUT_MS = 15_000;

// Works on any Python that prints. triton is looked up, not imported. A package "triton" that is a mere folder has no origin.
const PROBE = `
import json, sys
triton = None
if sys.version_info >= (3, 10):
    from importlib import metadata, util
    spec = util.find_spec("triton")
    if spec is not None and spec.origin is not None:
        names = metadata.packages_distributions().get("triton", [])
        triton = metadata.version(names[0]) if names else "of unknown version"
print(json.dumps({"version": "%d.%d.%d" % sys.version_info[:3], "triton": triton}))
`;

export function isOldPython(python: Python): boolean {
  const [major = 0, minor = 0] = python.version.split(".").map(Number);
  return major < 3 || (major === 3 && minor < 10);
}

/** Asks the Python itself. It runs in the home folder, because Python also imports from the folder it is started in. */
export function probe(path: string): Promise<Python> {
  return new Promise((resolve, reject) => {
    execFile(
      path,
      ["-c", PROBE],
      { cwd: homedir(), timeout: TIMEOUT_MS, windowsHide: true },
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
