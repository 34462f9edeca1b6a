// The base of the sandbox image in the Dockerfile: its digest, and the date of its packages.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readBaseImage, toImageReference, writeBaseImage } from "../../operate/cloudflare/image.ts";

const name = "node:22.23.3-bookworm-slim";
const first = `sha256:${"1".repeat(64)}`;
const second = `sha256:${"2".repeat(64)}`;

test("a base is pinned, and pinned again, and the rest of the Dockerfile stays", async () => {
  const root = await mkdtemp(join(tmpdir(), "switchyard-base-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "sandbox-program"));
  const file = join(root, "sandbox-program/Dockerfile");
  await writeFile(file, `# a\nFROM ${name}\nARG PACKAGES_OF=2026-11-25\nRUN true\n`);
  expect(await readBaseImage(root)).toEqual({ name, digest: null });
  for (const [digest, day] of [
    [first, "2026-11-27"],
    [second, "2026-12-04"],
  ] as const) {
    await writeBaseImage(root, digest, day);
    expect(await readBaseImage(root)).toEqual({ name, digest });
    expect(await readFile(file, "utf8")).toBe(`# a\nFROM ${name}@${digest}\nARG PACKAGES_OF=${day}\nRUN true\n`);
  }
  expect(toImageReference({ name, digest: null })).toBe(name);
});
