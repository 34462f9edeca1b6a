// The bodies of kept skills in R2: the files of each as JSON. Every version has a key of its own.
import { toBase64Url } from "../base64url.ts";
import { newId } from "../ids.ts";
import { skillContent } from "../rules/skill/kept-skill.ts";
import type { SkillFile } from "../rules/skill/skill.ts";
import type { TextFile } from "../rules/skill/skill-files.ts";
import { type Storage, storeTextAt } from "./bodies.ts";
import type { SkillVersion } from "./queries/skills.ts";

/** Stores the files of a skill. The sweep deletes them unless a row names them later. */
export async function storeSkill(
  env: Storage,
  { name, description, argumentHint }: SkillFile,
  files: readonly TextFile[],
): Promise<SkillVersion> {
  const { bodyKey } = await storeTextAt(env, `skills/${newId()}`, JSON.stringify(files));
  return { name, description, argumentHint, fileCount: files.length, hash: await hashOf(files), bodyKey };
}

/** The files of a skill, in the order in which they were sent; null if the body is gone. */
export async function readSkillBody(store: R2Bucket, bodyKey: string): Promise<TextFile[] | null> {
  return (await (await store.get(bodyKey))?.json<TextFile[]>()) ?? null;
}

async function hashOf(files: readonly TextFile[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(skillContent(files)));
  return toBase64Url(new Uint8Array(digest));
}
