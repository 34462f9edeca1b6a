// Keeps, reads and changes the skills of a person or a workspace. Their files are stored before the row that names them is written.
import { newId } from "../ids.ts";
import { skillsMax } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { dropObjects, type Storage } from "../storage/bodies.ts";
import { addSkill, changeSkill, findSkill, type SkillVersion } from "./queries.ts";
import type { SkillOwner } from "./rules/custom-skill.ts";
import { checkSkillFiles, type TextFile } from "./rules/skill-files.ts";
import { readSkillBody, storeSkill } from "./save-skill-bodies.ts";

export const noSuchSkill: Refusal = refuse("NOT_FOUND", "There is no such skill.");

/** Keeps a new skill. Answers its id. Nothing is kept of files that are refused. */
export async function createSkill(
  env: Storage,
  owner: SkillOwner,
  { files, enabled }: { files: TextFile[]; enabled: boolean },
  now: number,
): Promise<string | Refusal> {
  const version = await storedVersion(env, owner, files);
  if (isRefusal(version)) return version;
  const id = newId(now);
  const added = await addSkill(env.DB, { id, owner, enabled, ...version }, now);
  if (added === "added") return id;
  await dropObjects(env, [version.bodyKey]);
  if (added === "taken") return nameTaken(version);
  return refuse("BAD_REQUEST", `There are ${skillsMax} skills already. Delete one that is not needed.`);
}

/** Switches a skill, or replaces all its files and with them its name and description. Answers null when it is done. */
export async function updateSkill(
  env: Storage,
  owner: SkillOwner,
  { id, enabled = null, files }: { id: string; enabled?: boolean | null | undefined; files?: TextFile[] | undefined },
  now: number,
): Promise<Refusal | null> {
  if ((await findSkill(env.DB, owner, id)) === null) return noSuchSkill;
  const version = files === undefined ? null : await storedVersion(env, owner, files);
  if (isRefusal(version)) return version;
  const changed = await changeSkill(env.DB, owner, { id, enabled, version }, now);
  if (changed === "changed") return null;
  await dropObjects(env, version === null ? [] : [version.bodyKey]);
  return changed === "taken" && version !== null ? nameTaken(version) : noSuchSkill;
}

/** The files of a skill; null if it is gone. `bodyKey` may have been replaced since it was read. */
export async function skillFiles(
  env: Storage,
  owner: SkillOwner,
  { id, bodyKey }: { id: string; bodyKey: string },
): Promise<TextFile[] | null> {
  const files = await readSkillBody(env.STORE, bodyKey);
  if (files !== null) return files;
  const row = await findSkill(env.DB, owner, id);
  return row === null ? null : await readSkillBody(env.STORE, row.bodyKey);
}

async function storedVersion(env: Storage, owner: SkillOwner, files: TextFile[]): Promise<SkillVersion | Refusal> {
  const skill = checkSkillFiles(files);
  return isRefusal(skill) ? skill : await storeSkill(env, owner, skill, files);
}

const nameTaken = ({ name }: SkillVersion): Refusal =>
  refuse("SKILL_NAME_TAKEN", `There is a skill ${name} already. Choose another name, or change that skill.`);
