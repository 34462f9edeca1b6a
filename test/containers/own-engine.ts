// Engines for the tests: a dockerd with a socket and a data folder of its own, which leaves the
// machine's firewall and networks as they are.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "./run-program.ts";

export interface OwnEngine {
  /** Its socket, as `unix:///…`. */
  socket: string;
  /** The folder that contains only its socket, under the name that engines usually give it. */
  socketFolder: string;
  /** The client that belongs to it. */
  dockerFile: string;
  /** Runs a command where the engine's networks are, if they are not the machine's. */
  inside: string[];
  /** Ends its containers, its networks and itself. Images stay in the folder. */
  end(): Promise<void>;
}

const packages = ["docker.io", "debootstrap", "debian-archive-keyring", "iproute2", "iptables"];
/** Another client may come first on the PATH. */
const dockerFile = "/usr/bin/docker";
const needed = ["dockerd", "debootstrap", "ip", "iptables", "nsenter", "unshare"];

/** One run at a time on a machine, for they share the network namespace. */
const runFile = "/var/tmp/switchyard-containers.pid";
const namespace = "switchyard-containers";
/** This machine's address in the engine's default network. */
const address = "172.31.250.1/24";
const addressesSix = "fd31:250::/64";
/** Every engine makes it, for plugins. */
const pluginsFolder = "/run/docker";
const lookEveryMs = 200;
const startWaitMs = 60_000;
const endWaitMs = 20_000;
const shownLines = 5;

/**
 * What this machine lacks for an engine, as one line; null if nothing. Installs Debian's packages.
 */
export async function missingForEngine(report: (line: string) => void): Promise<string | null> {
  const what = "The tests of containers start an engine of their own,";
  if (process.platform !== "linux") return `${what} which needs Linux.`;
  if (process.getuid?.() !== 0) return `${what} which needs root: run them with sudo.`;
  if (isReady()) return null;
  const names = packages.join(", ");
  if (!isOnPath("apt-get")) return `${what} which needs ${names}; there is no apt-get that could install them.`;
  report(`installing ${names}`);
  // At this run level the packages start no engine, which would change the machine's firewall.
  const env = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  try {
    await run("apt-get", ["update"], env);
    await run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], env);
  } catch (error) {
    return `apt-get could not install ${names}; is there a network? (${lastLine(error)})`;
  }
  const absent = needed.filter((name) => !isOnPath(name));
  return isReady() ? null : `apt-get installed ${names}, and ${[...absent, dockerFile][0]} is not there.`;
}

const isReady = () => needed.every(isOnPath) && existsSync(dockerFile);

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
}

function lastLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1) ?? "";
}

/**
 * Starts it with its data in `folder`. Ends first what a killed run left there. Throws while
 * another run uses it. One that `builds` has the machine's network, and no networks for containers.
 * Any other one is in a network namespace of its own, where it sets its firewall as usual.
 */
export async function startOwnEngine(folder: string, { builds }: { builds: boolean }): Promise<OwnEngine> {
  const socketFolder = join(folder, "socket");
  const execFolder = join(folder, "exec");
  const pidFile = join(folder, "dockerd.pid");
  const earlier = await readPid(runFile);
  if (await runs(earlier, "containers/run.ts")) {
    throw new Error(`The tests of containers run already, as process ${earlier}.`);
  }
  await endLeftover(await readPid(pidFile));
  await clear();
  await mkdir(socketFolder, { recursive: true });
  await writeFile(runFile, String(process.pid));

  const inside = builds ? [] : ["nsenter", `--net=/run/netns/${namespace}`];
  if (!builds) {
    await run("ip", ["netns", "add", namespace]);
    await run("ip", ["-netns", namespace, "link", "set", "lo", "up"]);
  }
  const socket = `unix://${socketFolder}/docker.sock`;
  const hasOtherEngine = existsSync(pluginsFolder);
  const log = await open(join(folder, "engine.log"), "w");
  const places = ["--data-root", join(folder, "data"), "--exec-root", execFolder, "--pidfile", pidFile];
  const network = builds
    ? ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]
    : // Without IPv6, an engine takes ::1 from containers.
      ["--bip", address, "--ipv6", "--fixed-cidr-v6", addressesSix];
  // In a process group of its own: Ctrl-C ends the tests first, and the engine after them.
  const options = { stdio: ["ignore", log.fd, log.fd] as ["ignore", number, number], detached: true };
  const [file = "", ...args] = [...inside, "dockerd", "--host", socket, ...places, ...network];
  const child = spawn(file, args, options);
  await log.close();
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  const docker = (...args: string[]) => run(dockerFile, ["--host", socket, ...args]);

  async function end(): Promise<void> {
    const containers = (await docker("ps", "--all", "--quiet").catch(() => "")).split("\n").filter((id) => id !== "");
    if (containers.length > 0) await docker("rm", "--force", "--volumes", ...containers).catch(() => {});
    await docker("network", "prune", "--force").catch(() => {});
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), endWaitMs);
    await ended;
    clearTimeout(timer);
    await clear();
    if (!hasOtherEngine) await rm(pluginsFolder, { recursive: true, force: true });
  }

  async function clear(): Promise<void> {
    await run("ip", ["netns", "delete", namespace]).catch(() => {});
    await run("umount", [join(execFolder, "netns/default")]).catch(() => {});
    for (const one of [execFolder, socketFolder, pidFile, runFile]) await rm(one, { recursive: true, force: true });
  }

  const givenUpAt = Date.now() + startWaitMs;
  while (!(await docker("version").catch(() => null))) {
    if (child.exitCode !== null || Date.now() > givenUpAt) {
      await end();
      const lines = (await readFile(join(folder, "engine.log"), "utf8")).trim().split("\n");
      throw new Error(`The engine did not start:\n${lines.slice(-shownLines).join("\n")}`);
    }
    await sleep(lookEveryMs);
  }
  return { socket, socketFolder, dockerFile, inside, end };
}

async function endLeftover(pid: number): Promise<void> {
  if (!(await runs(pid, "dockerd"))) return;
  process.kill(pid, "SIGTERM");
  const givenUpAt = Date.now() + endWaitMs;
  while ((await runs(pid, "dockerd")) && Date.now() < givenUpAt) await sleep(lookEveryMs);
}

const readPid = async (file: string) => Number(await readFile(file, "utf8").catch(() => "0"));

/** True if a process of this id runs a command with this text. */
async function runs(pid: number, text: string): Promise<boolean> {
  if (!(pid > 0) || pid === process.pid) return false;
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes(text);
}
