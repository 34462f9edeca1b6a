// The sandbox image. Its tag identifies its contents, so that an unchanged image is neither built
// nor rolled out again.
import { createHash } from "node:crypto";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSandboxProgram } from "../sandbox-program/build.mjs";

const registry = "registry.cloudflare.com";
const repository = "switchyard-sandbox";
const tagCharacters = 16;

/** The contents of the image, besides the program. */
const ingredients = ["Dockerfile", "start.sh"];

/**
 * Builds the program of the image into `sandbox-program/dist`, together with its Dockerfile, and returns
 * the image's tag.
 */
export async function prepareImage(root: string): Promise<string> {
  const folder = join(root, "sandbox-program/dist");
  await buildSandboxProgram(join(folder, "sandbox.cjs"));
  for (const name of ingredients) await copyFile(join(root, "sandbox-program", name), join(folder, name));
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).sort())
    hash.update(`${name}\0`).update(await readFile(join(folder, name)));
  return hash.digest("hex").slice(0, tagCharacters);
}

/** The image's name for Docker. */
export const localImage = (tag: string) => `${repository}:${tag}`;

/** The image's address in an account's registry. */
export const registryImage = (accountId: string, tag: string) => `${registry}/${accountId}/${localImage(tag)}`;

/**
 * The old sandbox images that may be deleted, by wrangler's names. `listed` is wrangler's JSON
 * list; `keeps` are registry addresses. Null if `listed` cannot be parsed.
 */
export function oldImages(listed: string, keeps: readonly string[]): string[] | null {
  const images = readList(listed);
  if (images === null) return null;
  const tags = images.filter(({ name }) => name === repository).flatMap((image) => image.tags);
  return tags.map(localImage).filter((image) => !keeps.some((kept) => kept.endsWith(`/${image}`)));
}

function readList(listed: string): { name: string; tags: string[] }[] | null {
  try {
    const images: unknown = JSON.parse(listed);
    return Array.isArray(images) && images.every((image) => Array.isArray(image?.tags)) ? images : null;
  } catch {
    return null;
  }
}
