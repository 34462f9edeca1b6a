// The images that an engine needs to run sandboxes: that of the product's own Dockerfile, and the
// proxy to its containers. Their tags identify their contents, so an unchanged one is not built
// again.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareImage, readBaseImage, toImageReference, toLocalImage } from "../../operate/cloudflare/image.ts";
import type { Engine } from "./engine.ts";

export interface Images {
  sandbox: string;
  ingress: string;
}

const root = join(import.meta.dirname, "../..");
const ingressFile = join(import.meta.dirname, "ingress.mjs");
const tagCharacters = 16;

/**
 * Builds the missing images. `options` are passed to `docker build`. `ownBase` is a base image that
 * the engine has without a registry, so without the digest of one.
 */
export async function createImages(
  { docker }: Pick<Engine, "docker">,
  {
    options = [],
    report = () => {},
    ownBase,
  }: { options?: string[]; report?: (line: string) => void; ownBase?: string } = {},
): Promise<Images> {
  const pinned = toImageReference(await readBaseImage(root));
  const base = ownBase ?? pinned;
  const context = join(root, "sandbox-program/dist");
  const images = { sandbox: toLocalImage("switchyard", await prepareImage(root)), ingress: await ingressImage(base) };
  if (!(await isThere(images.sandbox))) {
    report("Building the image of sandboxes, which takes a few minutes the first time …");
    const dockerfile = await readFile(`${context}/Dockerfile`, "utf8");
    await writeFile(`${context}/Dockerfile`, dockerfile.replace(`FROM ${pinned}\n`, `FROM ${base}\n`));
    await docker("build", "--quiet", ...options, "--tag", images.sandbox, "--file", `${context}/Dockerfile`, context);
  }
  if (!(await isThere(images.ingress))) {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-ingress-"));
    try {
      await cp(ingressFile, join(folder, "ingress.mjs"));
      await writeFile(join(folder, "Dockerfile"), ingressDockerfile(base));
      await docker("build", "--quiet", ...options, "--tag", images.ingress, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return images;

  function isThere(image: string): Promise<boolean> {
    return docker("image", "inspect", image).then(
      () => true,
      () => false,
    );
  }
}

const ingressDockerfile = (base: string) =>
  [
    `FROM ${base}`,
    "RUN apt-get update && apt-get install --yes --no-install-recommends nftables openssl && rm -rf /var/lib/apt/lists/*",
    "COPY ingress.mjs /",
    'ENTRYPOINT ["node", "/ingress.mjs"]\n',
  ].join("\n");

async function ingressImage(base: string): Promise<string> {
  const hash = createHash("sha256")
    .update(ingressDockerfile(base))
    .update(await readFile(ingressFile));
  return `switchyard-ingress:${hash.digest("hex").slice(0, tagCharacters)}`;
}
