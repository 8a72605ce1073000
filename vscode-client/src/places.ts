// Where the program is that a path names, and whether a folder that nobody trusts has a say in it. Starts nothing.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

const MOST_LINKS = 64;

/** The path that is run for what somebody wrote: like the programs we start, from the home folder and along PATH. */
export function program(written: string, search = process.env.PATH ?? ""): string {
  if (isAbsolute(written)) return written;
  // Not put in order first: what `x/..` is depends on whether x is a link.
  if (/[/\\]/.test(written)) return homedir() + sep + written;
  const found = search
    .split(delimiter)
    .map((folder) => join(resolve(homedir(), folder), written))
    .find(isExecutable);
  return found ?? resolve(homedir(), written);
}

const LIBRARIES = ["LD_LIBRARY_PATH", "NIX_LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];
const SINGLE = ["NIX_LD", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "__PYVENV_LAUNCHER__"];

/**
 * The environment for a Python that looks: where the loader and Python look for code, nothing of the folders is left, nor what depends
 * on the folder that it starts in. What is installed beside an interpreter in them is its own. `path`: with where its PYTHONPATH leads,
 * under the name by which probe.py takes it once it can tell what lies where.
 */
export function guarded(
  given: Readonly<NodeJS.ProcessEnv>,
  python: string,
  folders: readonly string[],
  path = true,
): NodeJS.ProcessEnv {
  const variables = { ...given };
  const prefix = dirname(dirname(program(python)));
  const elsewhere = (entry: string): boolean =>
    isAbsolute(entry) &&
    (entry === prefix ||
      [join(prefix, "lib"), join(prefix, "lib64")].some((own) => (resolve(entry) + sep).startsWith(own + sep)) ||
      !leadsThrough(entry, folders));
  const leave = (name: string, kept: readonly string[], between: string): void => {
    if (kept.length) variables[name] = kept.join(between);
    else Reflect.deleteProperty(variables, name);
  };
  for (const name of LIBRARIES) leave(name, (given[name] ?? "").split(delimiter).filter(elsewhere), delimiter);
  // A mere name is looked for where libraries are.
  const preloaded = (given.LD_PRELOAD ?? "").split(/[ :]+/);
  leave(
    "LD_PRELOAD",
    preloaded.filter((one) => (one.includes(sep) ? elsewhere(one) : one !== "")),
    ":",
  );
  for (const name of SINGLE) leave(name, [given[name] ?? ""].filter(elsewhere), "");
  if (path && given.PYTHONPATH) {
    const entries = given.PYTHONPATH.split(delimiter).map((entry) => resolve(homedir(), entry));
    variables.TRITON_LS_PYTHONPATH = entries.join(delimiter);
    Reflect.deleteProperty(variables, "PYTHONPATH");
  }
  return variables;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // the answer, not an error
  }
}

/** Does the way to this file (a full path), with all links on it, lead through one of the folders? Whatever lies there is theirs to change. */
export function leadsThrough(path: string, folders: readonly string[]): boolean {
  const theirs = folders.flatMap((folder) => [resolve(folder), real(folder)]).map(comparable);
  for (const place of way(path)) {
    const here = comparable(place);
    if (theirs.some((folder) => here === folder || here.startsWith(folder.endsWith(sep) ? folder : folder + sep))) {
      return true;
    }
  }
  return false;
}

/** Every place that is looked at on the way to a file. */
function* way(path: string): Generator<string> {
  yield path;
  let done = parse(path).root;
  let left = path.slice(done.length).split(sep);
  for (let links = 0; left.length;) {
    const [next = "", ...rest] = left;
    left = rest;
    if (next === "" || next === ".") continue;
    const place = next === ".." ? dirname(done) : join(done, next);
    yield place;
    const target = linked(place);
    if (target === undefined || ++links > MOST_LINKS) {
      done = place;
      continue;
    }
    const start = isAbsolute(target) ? parse(target).root : "";
    left = [...target.slice(start.length).split(/[/\\]/), ...left];
    if (start) done = start;
  }
}

function linked(place: string): string | undefined {
  try {
    return lstatSync(place).isSymbolicLink() ? readlinkSync(place) : undefined;
  } catch {
    return undefined; // what is not there leads nowhere
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** Systems whose file names are the same in upper and lower case. */
function comparable(path: string): string {
  return process.platform === "linux" ? path : path.toLowerCase();
}
