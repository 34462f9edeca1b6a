// The bodies of kept skills in R2: the files of each as JSON. Every version has a key of its own.
import { toBase64Url } from "../base64url.ts";
import { newId } from "../ids.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { type Storage, storeTextAt } from "../storage/bodies.ts";
import type { SkillVersion } from "./queries.ts";
import { type SkillOwner, skillContent } from "./rules/custom-skill.ts";
import type { SkillFile } from "./rules/skill.ts";
import type { TextFile } from "./rules/skill-files.ts";

/**
 * Stores the files of a skill, unless they exceed the quota of its workspace. The sweep deletes
 * them unless a row names them later.
 */
export async function storeSkill(
  env: Storage,
  owner: SkillOwner,
  { name, description, argumentHint }: SkillFile,
  files: readonly TextFile[],
): Promise<SkillVersion | Refusal> {
  // The skills of a person count to no workspace.
  const charged = owner.type === "workspace" ? { type: owner.type, id: owner.id } : null;
  const stored = await storeTextAt(env, charged, `skills/${newId()}`, JSON.stringify(files));
  if (isRefusal(stored)) return stored;
  const hash = await hashOf(files);
  return { name, description, argumentHint, fileCount: files.length, hash, bodyKey: stored.bodyKey };
}

/** The files of a skill, in the order in which they were sent; null if the body is gone. */
export async function readSkillBody(store: R2Bucket, bodyKey: string): Promise<TextFile[] | null> {
  return (await (await store.get(bodyKey))?.json<TextFile[]>()) ?? null;
}

async function hashOf(files: readonly TextFile[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(skillContent(files)));
  return toBase64Url(new Uint8Array(digest));
}
