// The base image of sandboxes without a registry: Debian by debootstrap, with the Node that came
// with the lockfile, and npm and corepack from their packages.
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OwnEngine } from "./own-engine.ts";
import { run, runShell } from "./run-program.ts";

const mirror = "http://deb.debian.org/debian";
const securityMirror = "http://deb.debian.org/debian-security";
/** As in the official image of Node 22. */
const packages = { npm: "npm@10.9.9", corepack: "corepack@0.34.7" };
const commands = { npm: "npm/bin/npm-cli.js", npx: "npm/bin/npx-cli.js", corepack: "corepack/dist/corepack.js" };

/** A registry that is silent for a while is asked again, and what went wrong is said. */
const patience = ["--loglevel=error", "--fetch-timeout=30000", "--fetch-retries=4"];

/** Makes the image `name`, as `node:22.23.3-bookworm-slim`, in the engine at `socket`. */
export async function makeBaseImage(
  name: string,
  { socket, dockerFile }: Pick<OwnEngine, "socket" | "dockerFile">,
): Promise<void> {
  const [, node, release] = /^node:([\d.]+)-([a-z]+)-slim$/.exec(name) ?? [];
  if (node !== process.versions.node || !release)
    throw new Error(`The base image ${name} is not of Node ${process.versions.node}.`);
  const folder = await mkdtemp(join(tmpdir(), "switchyard-base-"));
  const root = join(folder, "root");
  try {
    await run("debootstrap", ["--variant=minbase", "--include=ca-certificates", release, root, mirror]);
    await putNode(folder, root);
    await writeFile(
      join(root, "etc/apt/sources.list"),
      `deb ${mirror} ${release} main\ndeb ${mirror} ${release}-updates main\ndeb ${securityMirror} ${release}-security main\n`,
    );
    await run("chroot", [root, "groupadd", "--gid", "1000", "node"]);
    await run("chroot", [
      root,
      "useradd",
      "--uid",
      "1000",
      "--gid",
      "node",
      "--shell",
      "/bin/bash",
      "--create-home",
      "node",
    ]);
    await run("chroot", [root, "apt-get", "clean"]);
    await rm(join(root, "var/lib/apt/lists"), { recursive: true });
    await runShell('tar -C "$1" -c . | "$2" --host "$3" import --change \'CMD ["node"]\' - "$4"', [
      root,
      dockerFile,
      socket,
      name,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function putNode(folder: string, root: string): Promise<void> {
  const programs = join(root, "usr/local/bin");
  const modules = join(root, "usr/local/lib/node_modules");
  await cp(process.execPath, join(programs, "node"));
  for (const [name, version] of Object.entries(packages)) {
    await run("npm", ["pack", ...patience, "--pack-destination", folder, version]);
    await mkdir(join(modules, name), { recursive: true });
    const archive = join(folder, `${version.replace("@", "-")}.tgz`);
    await run("tar", ["-xzf", archive, "-C", join(modules, name), "--strip-components=1"]);
  }
  for (const [name, file] of Object.entries(commands))
    await symlink(`../lib/node_modules/${file}`, join(programs, name));
}
