// The ids of the code host's repositories. A renamed repository keeps its id; a new repository with
// an old name gets a new id.
import { createHash, randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = "practice-id";
const idMax = 2 ** 32;

/** The id of the repository in a folder. A name without a repository has an id all the same. */
export function getRepositoryId(folder: string, name: string): number {
  try {
    return Number(readFileSync(join(folder, file), "utf8"));
  } catch {
    return createHash("sha256").update(name).digest().readUInt32BE();
  }
}

/** Gives a repository a new id, or the given one. */
export function writeRepositoryId(folder: string, id: number = randomInt(1, idMax)): void {
  writeFileSync(join(folder, file), String(id));
}
