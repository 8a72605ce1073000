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
