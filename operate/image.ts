// The image of a sandbox: its name says what it is made of, so that an unchanged one is neither
// built nor rolled out again.
import { createHash } from "node:crypto";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSandboxProgram } from "../sandbox/build.mjs";

const registry = "registry.cloudflare.com";
const repository = "switchyard-sandbox";
const tagCharacters = 16;

/** What the image is made of, beside the program. */
const ingredients = ["Dockerfile", "start.sh"];

/**
 * Builds the program of the image into `sandbox/dist`, with its Dockerfile, and answers the image's
 * tag.
 */
export async function prepareImage(root: string): Promise<string> {
  const folder = join(root, "sandbox/dist");
  await buildSandboxProgram(join(folder, "sandbox.cjs"));
  for (const name of ingredients) await copyFile(join(root, "sandbox", name), join(folder, name));
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).sort())
    hash.update(`${name}\0`).update(await readFile(join(folder, name)));
  return hash.digest("hex").slice(0, tagCharacters);
}

/** The image's name for Docker. */
export const localImage = (tag: string) => `${repository}:${tag}`;

/** The image's address in the registry of an account. */
export const registryImage = (accountId: string, tag: string) => `${registry}/${accountId}/${localImage(tag)}`;

/**
 * The images of sandboxes that may go, as wrangler names them. `listed` is what it lists as JSON;
 * `keeps` are addresses in the registry. Null for another text.
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
