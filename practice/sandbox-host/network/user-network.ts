// The open network of one sandbox: a namespace, from which pasta leads to the internet and to
// nothing of this machine. Pasta is a network in user mode, of the package passt.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { formatBlocking, formatResolvers, type MachineInterface } from "./blocked-addresses.ts";

export interface UserNetwork {
  /** The beginning of a command that is to run in it, as a user who is root there. */
  entering: [file: string, ...args: string[]];
  /** The `/etc/resolv.conf` of the sandbox. */
  resolverFile: string;
  /** Ends pasta. */
  close(): Promise<void>;
}

/** Of the packages passt, iproute2, nftables and util-linux. */
export const networkPrograms = ["pasta", "ip", "nft", "nsenter", "unshare"] as const;

/** The paths of programs. */
export type NetworkPrograms = Record<(typeof networkPrograms)[number], string>;

/** No port of this machine leads inside, and no address inside leads to this machine. */
const pastaArguments = [
  ...["--quiet", "--foreground", "--config-net", "--no-map-gw"],
  ...["-t", "none", "-u", "none", "-T", "none", "-U", "none"],
];

/** Without this, pasta runs as nobody for root, and then cannot make a namespace. */
const asUser = ["--user", "--map-user=1", "--map-group=1", "--"];

/** Pasta ends with this first process, which ends when its host does and closes its input. */
const firstScript = `printf '%s\\n' "$1" | "$0" -f - && echo && exec cat`;

const startTimeoutMs = 10_000;
const endTimeoutMs = 1_000;

/** Creates the network, with its files in a folder. Throws with pasta's reason if that fails. */
export async function createUserNetwork(programs: NetworkPrograms, folder: string): Promise<UserNetwork> {
  const { pasta, ip, nft, nsenter, unshare } = programs;
  // Not `networkInterfaces()` of Node, which leaves out interfaces that are down. Their addresses
  // answer.
  const { stdout } = await promisify(execFile)(ip, ["-json", "-details", "address"]);
  const interfaces: MachineInterface[] = JSON.parse(stdout);
  const resolverFile = join(folder, "resolv.conf");
  const resolvers = formatResolvers(await readFile("/etc/resolv.conf", "utf8").catch(() => ""), interfaces);
  await writeFile(resolverFile, resolvers.text);
  const first = ["/bin/sh", "-c", firstScript, nft, formatBlocking(interfaces)];
  const [file, ...args] = [
    ...(process.getuid?.() === 0 ? [unshare, ...asUser] : []),
    ...[pasta, ...pastaArguments, ...resolvers.forwarded.flatMap((one) => ["--dns-forward", one]), "--", ...first],
  ] as [string, ...string[]];
  const child = spawn(file, args, { env: { PATH: "/usr/bin:/bin" }, cwd: "/", detached: true });
  child.stdin.on("error", () => {});
  let says = "";
  child.stderr.on("data", (text: Buffer) => (says += text));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    const fail = () => {
      // If pasta fails, its first process would wait for it for ever.
      endGroup(child);
      reject(new Error(`pasta did not open the network of a sandbox. ${says}`.trim()));
    };
    const timer = setTimeout(() => endGroup(child), startTimeoutMs);
    child.stdout.once("data", () => resolve());
    void ended.then(() => clearTimeout(timer)).then(fail);
    child.stdout.once("data", () => clearTimeout(timer));
  });
  child.stdout.resume();
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return {
    entering: [nsenter, `--target=${children.trim()}`, "--user", "--preserve-credentials", "--net", "--"],
    resolverFile,
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => endGroup(child), endTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Kills the processes of a detached process that are left. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // None is left.
  }
}
