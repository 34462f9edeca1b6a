// The ids of the forge's repositories. A repository keeps its id when it is renamed, and one that is made anew under an old name gets another.
import { createHash, randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = "practice-id";
const idMax = 2 ** 32;

/** The id of the repository in a folder. One from before ids has that of its name. */
export function repositoryId(folder: string, name: string): number {
  try {
    return Number(readFileSync(join(folder, file), "utf8"));
  } catch {
    return createHash("sha256").update(name).digest().readUInt32BE();
  }
}

/** Gives a repository an id of its own, or the one that it is to keep. */
export function giveRepositoryId(folder: string, id: number = randomInt(1, idMax)): void {
  writeFileSync(join(folder, file), String(id));
}
