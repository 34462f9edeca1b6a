// Isolation of sandboxes on one machine. With bubblewrap, if it is installed and works, a sandbox
// sees the system read-only, its own folder and its own processes. Its network has only a loopback,
// or is a namespace that pasta leads out of. Without pasta, an open network is the machine's.
import { type ChildProcess, type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { getWallTrialCommand, type Wall } from "../../sandbox-program/process/wall.ts";
import { getMachine } from "./machine.ts";
import { createUserNetwork, networkPrograms, type UserNetwork } from "./network/user-network.ts";

export interface SandboxCommand {
  argv: [file: string, ...args: string[]];
  /** The sandbox's folder. */
  root: string;
  /** Further readable files, besides those of the system. */
  readable: string[];
  env: Record<string, string>;
  /** Takes the machine's network away. */
  network?: CommandNetwork;
}

/** What a sandbox without the machine's network gets. */
export interface CommandNetwork {
  /** The folder with the sockets of its ways out. */
  folder: string;
  /** The descriptor of a listening socket, for its program. */
  listener?: number;
  /** Otherwise, the sandbox has only a loopback. */
  open?: UserNetwork;
}

/** The folder of the sockets inside the sandbox. */
export const socketFolder = "/run/switchyard";

/** The descriptor of the listening socket in the sandbox. */
export const listenerDescriptor = 4;

export interface Isolation {
  isIsolated: boolean;
  /** True if a sandbox can be held to a network. */
  holdsNetworks: boolean;
  /**
   * Creates the open network of one sandbox, with its files in a folder. Null if sandboxes with an
   * open network share the machine's.
   */
  openNetwork: ((folder: string) => Promise<UserNetwork>) | null;
  /** Why pasta, which is installed, cannot be used. Null if it can, or is not installed. */
  pastaFailure: string | null;
  /** The wall between the sandbox program and the commands that it runs for the project. */
  wall: Wall;
  /** One line that says how sandboxes are isolated. */
  notice: string;
  /**
   * Spawns a command in a sandbox, in a separate process session. Its input, output and errors are
   * pipes. Programs in a sandbox can open files that are its descriptors, and the service's output
   * contains the owner's API key.
   */
  spawn(command: SandboxCommand): ChildProcessByStdio<Writable, Readable, Readable>;
}

/** Has a socket of the machine's resolver, which answers whatever network a sandbox has. */
const resolverFolder = "/run/systemd/resolve";

/** Programs, libraries, and the settings that programs need to run and to use the network. */
const systemPaths = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/run/current-system"],
  ...[
    "alternatives",
    "ca-certificates",
    "group",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
  ].map((name) => `/etc/${name}`),
  ...["mime.types", "nsswitch.conf", "passwd", "pki", "protocols", "resolv.conf", "services", "ssl", "static"].map(
    (name) => `/etc/${name}`,
  ),
  resolverFolder,
];

/**
 * Root cannot create a user namespace inside another one, and needs these for the wall. They are
 * valid only inside the sandbox, and only for its program: the commands that it runs do not have
 * them.
 */
const capabilitiesForWall =
  process.getuid?.() === 0
    ? ["CAP_SYS_ADMIN", "CAP_SYS_CHROOT", "CAP_SETPCAP"].flatMap((name) => ["--cap-add", name])
    : [];
const argumentsDescriptor = 3;
const probeWaitMs = 10_000;

/** Sandboxes as plain processes. */
export const noIsolation: Isolation = {
  isIsolated: false,
  holdsNetworks: false,
  openNetwork: null,
  pastaFailure: null,
  wall: "none",
  notice:
    "Sandboxes run as plain processes, which can read what you can: bubblewrap is not installed, or does not work here.",
  spawn: ({ argv: [file, ...args], root, env }) =>
    spawn(file, args, { cwd: root, env, detached: true, stdio: ["pipe", "pipe", "pipe"] }),
};

/** Finds the isolation that works on this machine, and the wall that works in it. */
export async function findIsolation(path = getMachine(process.env).path): Promise<Isolation> {
  const isolation = await findBubblewrap(path);
  const [wall, holdsNetworks, open] = await Promise.all([
    findWall(isolation, path),
    isolation.isIsolated && worksWithoutNetwork(isolation, path),
    isolation.isIsolated ? findOpenNetwork(isolation, path) : {},
  ]);
  return { ...isolation, wall, holdsNetworks, ...open };
}

/** One line that says what an agent's commands can reach inside a sandbox. */
export const formatWall = (wall: Wall): string =>
  wall === "none"
    ? "In a sandbox, what an agent runs can read the sandbox program's memory and the tokens of later turns, and may outlive its turn: " +
      "`unshare`, `nsenter` and `setpriv` of util-linux 2.38 are not installed, or not allowed to work here."
    : "In a sandbox, what an agent starts sees neither the sandbox program nor other turns, and ends with its turn.";

async function findBubblewrap(path: string): Promise<Isolation> {
  const folders = listParentFolders(path);
  const bubblewrap = findProgram("bwrap", path);
  if (!bubblewrap) return noIsolation;
  const tools = toolPaths(folders);
  const isolation: Isolation = {
    isIsolated: true,
    holdsNetworks: false,
    openNetwork: null,
    pastaFailure: null,
    wall: "none",
    notice: "Sandboxes are isolated by bubblewrap.",
    spawn(command) {
      // Passed by a file descriptor, because a sandbox could read the secret from the arguments or
      // environment of bubblewrap's process.
      const [file, ...args] = [
        ...(command.network?.open?.entering ?? []),
        ...[bubblewrap, "--args", String(argumentsDescriptor), "--", ...command.argv],
      ] as const;
      const listener = command.network?.listener;
      const stdio: StdioOptions = ["pipe", "pipe", "pipe", "pipe", ...(listener === undefined ? [] : [listener])];
      const child: ChildProcess = spawn(file, args, { env: {}, detached: true, stdio });
      const handed = child.stdio[argumentsDescriptor] as Writable;
      handed.on("error", () => {});
      handed.end(getBubblewrapArguments(command, tools).join("\0"));
      return child as ReturnType<Isolation["spawn"]>;
    },
  };
  return (await works(isolation, path)) ? isolation : noIsolation;
}

/** The arguments of bubblewrap for a sandbox. `tools` are readable too. */
export function getBubblewrapArguments(
  { argv, root, readable, env, network }: SandboxCommand,
  tools: string[],
): string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--cap-drop", "ALL", ...capabilitiesForWall, "--die-with-parent", "--hostname", "sandbox"],
    ...systemPaths
      .filter((path) => !network || path !== resolverFolder)
      .flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/var/tmp"],
    ...[...tools, dirname(argv[0]), ...readable.filter((path) => !isOfSystem(path))].flatMap((path) => [
      "--ro-bind-try",
      path,
      path,
    ]),
    ...(network ? ["--ro-bind", network.folder, socketFolder, ...getNetworkArguments(network)] : []),
    ...["--bind", root, root, "--chdir", root, "--remount-ro", "/"],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

function getNetworkArguments({ open }: CommandNetwork): string[] {
  if (!open) return ["--unshare-net"];
  // In the namespace of the network, this user is root.
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return ["--uid", String(user), "--gid", String(group), "--ro-bind", open.resolverFile, "/etc/resolv.conf"];
}

/** True if the isolation can run what a sandbox needs. */
function works(isolation: Isolation, path: string): Promise<boolean> {
  const script = 'git --version && tar --version && gzip --version && bash --version && "$0" --version';
  return endsWell(isolation, path, () => ["/bin/sh", "-c", script, process.execPath]);
}

/** True if a process can have a loopback of its own, and nothing else. */
function worksWithoutNetwork(isolation: Isolation, path: string): Promise<boolean> {
  return endsWell(
    isolation,
    path,
    () => ["/bin/true"],
    (folder) => ({ folder }),
  );
}

/** Tries pasta, and returns how an open network is created with it, or why it is not. */
async function findOpenNetwork(
  isolation: Isolation,
  path: string,
): Promise<Pick<Isolation, "openNetwork" | "pastaFailure">> {
  const [pasta, ip, nft, nsenter, unshare] = networkPrograms.map((name) =>
    findProgram(name, `${path}${delimiter}/usr/sbin${delimiter}/sbin`),
  );
  if (!pasta) return { openNetwork: null, pastaFailure: null };
  if (!ip || !nft || !nsenter || !unshare)
    return { openNetwork: null, pastaFailure: `It needs all of ${networkPrograms.join(", ")}.` };
  const create = (folder: string) => createUserNetwork({ pasta, ip, nft, nsenter, unshare }, folder);
  const folder = await mkdtemp(join(tmpdir(), "sy-"));
  try {
    const open = await create(folder);
    const works = await endsWell(
      isolation,
      path,
      () => ["/bin/true"],
      () => ({ folder, open }),
    );
    await open.close();
    if (works) return { openNetwork: create, pastaFailure: null };
    return { openNetwork: null, pastaFailure: "bubblewrap does not start in a network of pasta." };
  } catch (error) {
    return { openNetwork: null, pastaFailure: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The wall that works in the isolation. */
export async function findWall(isolation: Isolation, path = getMachine(process.env).path): Promise<Wall> {
  const wall = process.getuid?.() === 0 ? "namespaces" : "user-namespaces";
  return (await endsWell(isolation, path, (root) => getWallTrialCommand(wall, root))) ? wall : "none";
}

/** True if a command succeeds in the isolation. */
async function endsWell(
  isolation: Isolation,
  path: string,
  command: (root: string) => string[],
  networkIn?: (root: string) => CommandNetwork,
): Promise<boolean> {
  const root = await mkdtemp(join(tmpdir(), "switchyard-isolation-"));
  const silent = ["/bin/sh", "-c", 'exec "$@" >/dev/null 2>&1', "trial"] as const;
  const child = isolation.spawn({
    argv: [...silent, ...command(root)],
    root,
    readable: [dirname(process.execPath)],
    env: { PATH: path },
    ...(networkIn && { network: networkIn(root) }),
  });
  child.stderr.resume();
  const timer = setTimeout(() => child.kill("SIGKILL"), probeWaitMs);
  const exitCode = await new Promise((resolve) => child.once("error", resolve).once("exit", resolve));
  clearTimeout(timer);
  await rm(root, { recursive: true, force: true });
  return exitCode === 0;
}

/** The folders of Node and npm outside of the system paths, with npm's packages. */
function toolPaths(folders: string[]): string[] {
  const ofTools = folders.filter((folder) => ["node", "npm"].some((tool) => isExecutable(join(folder, tool))));
  return ofTools
    .filter((folder) => !isOfSystem(folder))
    .flatMap((folder) => [folder, join(folder, "../lib/node_modules")])
    .filter(existsSync);
}

/** True for a path that is already bound. A symbolic link there cannot be bound again. */
const isOfSystem = (path: string) => systemPaths.some((one) => `${path}/`.startsWith(`${one}/`));

/** The path of a program on a PATH; undefined if there is none. */
export function findProgram(name: string, path: string): string | undefined {
  return listParentFolders(path)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function listParentFolders(path: string): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
