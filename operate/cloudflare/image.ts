// The sandbox image. Its tag identifies its contents, so that an unchanged image is neither built
// nor rolled out again.
import { createHash } from "node:crypto";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSandboxProgram } from "../../sandbox-program/build.mjs";

const registry = "registry.cloudflare.com";
const tagCharacters = 16;

/** The contents of the image, besides the program. */
const ingredients = ["Dockerfile", "start.sh"];
/** The file by which the program in an image knows the image's tag. */
const tagFile = "image-tag";

/**
 * Builds the program of the image into `sandbox-program/dist`, together with its Dockerfile, and
 * returns the image's tag.
 */
export async function prepareImage(root: string): Promise<string> {
  const folder = join(root, "sandbox-program/dist");
  await buildSandboxProgram(join(folder, "sandbox.cjs"));
  for (const name of ingredients) await copyFile(join(root, "sandbox-program", name), join(folder, name));
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).filter((file) => file !== tagFile).sort())
    hash.update(`${name}\0`).update(await readFile(join(folder, name)));
  const tag = hash.digest("hex").slice(0, tagCharacters);
  await writeFile(join(folder, tagFile), tag);
  return tag;
}

/** The image on which the sandbox image is built. */
export interface BaseImage {
  name: string;
  /** What `name` was when it was pinned; null if it never was. */
  digest: string | null;
}

const baseLine = /^FROM ([^\s@]+)(?:@(sha256:[0-9a-f]{64}))?$/m;
const dateLine = /^ARG PACKAGES_OF=\S+$/m;
const getDockerfile = (root: string) => join(root, "sandbox-program/Dockerfile");

/** Reads the base image that the Dockerfile names. */
export async function readBaseImage(root: string): Promise<BaseImage> {
  const [, name, digest = null] = baseLine.exec(await readFile(getDockerfile(root), "utf8")) ?? [];
  if (name === undefined) throw new Error("sandbox-program/Dockerfile names no base image.");
  return { name, digest };
}

/** The name for Docker. */
export const toImageReference = ({ name, digest }: BaseImage) => (digest === null ? name : `${name}@${digest}`);

/** Pins the base image in the Dockerfile, and dates its packages. */
export async function writeBaseImage(root: string, digest: string, day: string): Promise<void> {
  const file = getDockerfile(root);
  const text = await readFile(file, "utf8");
  const { name } = await readBaseImage(root);
  if (!dateLine.test(text)) throw new Error("sandbox-program/Dockerfile has no line ARG PACKAGES_OF.");
  const pinned = text.replace(baseLine, `FROM ${toImageReference({ name, digest })}`);
  await writeFile(file, pinned.replace(dateLine, `ARG PACKAGES_OF=${day}`));
}

/** The repository of a Worker's images. Each has its own, so that none deletes those of another. */
const getRepository = (workerName: string) => `${workerName.toLowerCase()}-sandbox`;

/** The image's name for Docker. */
export const toLocalImage = (workerName: string, tag: string) => `${getRepository(workerName)}:${tag}`;

/** The image's address in an account's registry. */
export const toRegistryImage = (accountId: string, workerName: string, tag: string) =>
  `${registry}/${accountId}/${toLocalImage(workerName, tag)}`;

/** True if the registry has the image of a tag; null if `listed` cannot be parsed. */
export function isImageListed(listed: string | null, workerName: string, tag: string): boolean | null {
  const images = listed === null ? null : readList(listed);
  return images?.some(({ name, tags }) => name === getRepository(workerName) && tags.includes(tag)) ?? null;
}

/**
 * The old sandbox images of a Worker that may be deleted, by wrangler's names. `listed` is
 * wrangler's JSON list; `keeps` are registry addresses. Null if `listed` cannot be parsed.
 */
export function findOldImages(listed: string, workerName: string, keeps: readonly string[]): string[] | null {
  const images = readList(listed);
  if (images === null) return null;
  const tags = images.filter(({ name }) => name === getRepository(workerName)).flatMap((image) => image.tags);
  return tags
    .map((tag) => toLocalImage(workerName, tag))
    .filter((image) => !keeps.some((kept) => kept.endsWith(`/${image}`)));
}

function readList(listed: string): { name: string; tags: string[] }[] | null {
  try {
    const images: unknown = JSON.parse(listed);
    return Array.isArray(images) && images.every((image) => Array.isArray(image?.tags)) ? images : null;
  } catch {
    return null;
  }
}
