// Saves, reads and changes the skills of a person or a workspace. Their files are stored before the
// row that names them is written.

import { toBase64Url } from "../lib/base64url.ts";
import { createId } from "../lib/ids.ts";
import { skillsMax } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { deleteObjects, type Storage, saveTextAt } from "../storage/bodies.ts";
import { addSkill, findSkill, type SkillVersion, updateSkillRow } from "./queries.ts";
import { formatSkillContent, type SkillOwner } from "./rules/custom-skill.ts";
import type { SkillFile } from "./rules/skill.ts";
import { checkSkillFiles, type TextFile } from "./rules/skill-files.ts";

export const noSuchSkill: Refusal = refuse("NOT_FOUND", "There is no such skill.");

/** Saves a new skill and returns its id. If its files are refused, nothing is saved. */
export async function createSkill(
  env: Storage,
  owner: SkillOwner,
  { files, enabled }: { files: TextFile[]; enabled: boolean },
  now: number,
): Promise<string | Refusal> {
  const version = await storedVersion(env, owner, files);
  if (isRefusal(version)) return version;
  const id = createId(now);
  const added = await addSkill(env.DB, { id, owner, enabled, ...version }, now);
  if (added === "added") return id;
  await deleteObjects(env, [version.bodyKey]);
  if (added === "taken") return nameTaken(version);
  return refuse("BAD_REQUEST", `There are ${skillsMax} skills already. Delete one that is not needed.`);
}

/**
 * Enables or disables a skill, or replaces all its files and with them its name and description.
 * Returns null on success.
 */
export async function updateSkill(
  env: Storage,
  owner: SkillOwner,
  { id, enabled = null, files }: { id: string; enabled?: boolean | null | undefined; files?: TextFile[] | undefined },
  now: number,
): Promise<Refusal | null> {
  if ((await findSkill(env.DB, owner, id)) === null) return noSuchSkill;
  const version = files === undefined ? null : await storedVersion(env, owner, files);
  if (isRefusal(version)) return version;
  const changed = await updateSkillRow(env.DB, owner, { id, enabled, version }, now);
  if (changed === "changed") return null;
  await deleteObjects(env, version === null ? [] : [version.bodyKey]);
  return changed === "taken" && version !== null ? nameTaken(version) : noSuchSkill;
}

/**
 * The files of a skill; null if it was deleted. `bodyKey` may have been replaced since it was read.
 */
export async function findSkillFiles(
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
  return isRefusal(skill) ? skill : await saveSkillFiles(env, owner, skill, files);
}

const nameTaken = ({ name }: SkillVersion): Refusal =>
  refuse("SKILL_NAME_TAKEN", `There is a skill ${name} already. Choose another name, or change that skill.`);

/**
 * Stores the files of a skill as JSON, under a key of this version, unless they exceed the quota of
 * its workspace. The sweep deletes them unless a row names them later.
 */
async function saveSkillFiles(
  env: Storage,
  owner: SkillOwner,
  { name, description, argumentHint }: SkillFile,
  files: readonly TextFile[],
): Promise<SkillVersion | Refusal> {
  // The skills of a person do not count towards any workspace.
  const charged = owner.type === "workspace" ? { type: owner.type, id: owner.id } : null;
  const stored = await saveTextAt(env, charged, `skills/${createId()}`, JSON.stringify(files));
  if (isRefusal(stored)) return stored;
  const hash = await getHash(files);
  return { name, description, argumentHint, fileCount: files.length, hash, bodyKey: stored.bodyKey };
}

/** The files of a skill, in the order in which they were sent; null if the body was deleted. */
async function readSkillBody(store: R2Bucket, bodyKey: string): Promise<TextFile[] | null> {
  return (await (await store.get(bodyKey))?.json<TextFile[]>()) ?? null;
}

async function getHash(files: readonly TextFile[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(formatSkillContent(files)));
  return toBase64Url(new Uint8Array(digest));
}
