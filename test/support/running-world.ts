// A world in separate processes, started as by `npm start`. A test can kill it and start it again
// from the same state.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claimFreePort } from "../../practice/free-port.ts";
import { addFailingPasta } from "../../practice/sandbox-host/network/failing-pasta.ts";
import { isAlive, listProcesses, type Process, processTree, readCommand, signalAll } from "./process-tree.ts";
import { until } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";

const root = fileURLToPath(new URL("../..", import.meta.url).href);

export interface Ended {
  exitCode: number | null;
  output: string;
}

export interface RunningWorld {
  port: number;
  stateDir: string;
  /**
   * Starts it, optionally with npm, flags and more settings, and waits until it is ready. Returns
   * its output.
   */
  start(by?: "npm", more?: Pick<LifeOptions, "flags" | "env" | "leavesOpen">): Promise<string>;
  /** Starts it without waiting. */
  launch(): void;
  /**
   * Its URLs and ids. They are the same after a restart, except for the URL of the sandbox host.
   */
  address(): WorldAddress;
  /** All of its processes, the starting process first. */
  processes(): Process[];
  /** All processes of a sandbox, its program first. */
  sandboxProcesses(sandboxKey: string): Process[];
  /** `kill -9` of every process. */
  killAll(): Promise<void>;
  /** `kill -9` of the starting process only. */
  killStarter(): Promise<void>;
  /** `kill -9` of processes without which it ends by itself. */
  killThese(victims: Process[]): Promise<void>;
  /**
   * `kill -9` of the Worker's runtime only, which its parent process restarts. Resolves when it
   * answers again.
   */
  killRuntime(): Promise<void>;
  /** Sends Ctrl-C or another signal to the starting process. */
  interrupt(signal?: NodeJS.Signals): Promise<Ended>;
  /** Sends a signal twice to the process group of a world that npm started, as terminals do. */
  interruptGroup(signal: NodeJS.Signals): Promise<Ended>;
  /** Ends all processes and deletes the state. */
  remove(): Promise<void>;
}

/**
 * Creates a world, which is not running yet. Requests with keys are not rate-limited by default.
 * With `sharesNetwork`, its sandboxes reach servers of the test: it finds a pasta that fails.
 */
export async function createWorld({ limitsRates = false, sharesNetwork = false } = {}): Promise<RunningWorld> {
  const stateDir = await mkdtemp(join(tmpdir(), "switchyard-system-"));
  await mkdir(`${stateDir}/tmp`);
  const { PATH = "" } = process.env;
  const path = sharesNetwork ? await addFailingPasta(`${stateDir}/tmp/failing`, PATH) : PATH;
  const port = await claimFreePort();
  let life: Life | null = null;
  let address: WorldAddress | null = null;
  /** All processes that were ever found, so that none outlives the test. */
  const seen = new Map<number, Process>();

  function running(): Life {
    if (!life) throw new Error("The world does not run.");
    return life;
  }

  function processes(): Process[] {
    const tree = processTree(running().id);
    for (const one of tree) seen.set(one.id, one);
    return tree;
  }

  async function kill(victims: Process[]): Promise<void> {
    signalAll(victims, "SIGKILL");
    await until("the killed to be gone", () => !victims.some(isAlive));
    await running().ended;
    life = null;
  }

  return {
    port,
    stateDir,
    launch() {
      life = startLife({ port, stateDir, limitsRates, path });
    },
    async start(by, more) {
      const started = startLife({ port, stateDir, limitsRates, path, by, ...more });
      life = started;
      const output = await started.ready;
      address = { ...JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8")), stateDir };
      return output;
    },
    address() {
      if (!address) throw new Error("The world has not been started yet.");
      return address;
    },
    processes,
    sandboxProcesses(sandboxKey) {
      const all = listProcesses(`${stateDir}/sandboxes/${sandboxKey}`);
      // The command of bubblewrap also contains the path of the program.
      const isProgram = (one: Process) => /^\S+( --\S+)* \S+\/sandbox\.cjs$/.test(readCommand(one));
      return [...all.filter(isProgram), ...all.filter((one) => !isProgram(one))];
    },
    killAll: () => kill(processes()),
    killStarter: () => kill(processes().slice(0, 1)),
    killThese: kill,
    async killRuntime() {
      const victims = processes().filter((one) => readCommand(one).includes("/workerd serve "));
      if (victims.length === 0) throw new Error("The world has no runtime.");
      signalAll(victims, "SIGKILL");
      await until("the killed to be gone", () => !victims.some(isAlive));
      const answers = () => fetch(`http://localhost:${port}/api/meta`).then(({ status }) => status < 500);
      await until("the runtime to answer again", () => answers().catch(() => false));
    },
    async interrupt(signal = "SIGINT") {
      processes();
      const interrupted = running();
      life = null;
      interrupted.interrupt(signal);
      return await interrupted.ended;
    },
    async interruptGroup(signal) {
      processes();
      const { id, ended } = running();
      life = null;
      for (let times = 1; times <= 2; times++) process.kill(-id, signal);
      return await ended;
    },
    async remove() {
      if (life) await kill(processes());
      signalAll([...seen.values()], "SIGKILL");
      signalAll(listProcesses(stateDir), "SIGKILL");
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** More than Node keeps from its children by itself. */
const leftDescriptor = 40;

/** Starts a world that is expected to end by itself. Returns how it ended. */
export async function tryToStart(
  options: Pick<LifeOptions, "port" | "stateDir" | "by" | "path" | "flags" | "env">,
): Promise<Ended> {
  return await startLife(options).ended;
}

interface Life {
  id: number;
  /** Its output until it was ready. */
  ready: Promise<string>;
  ended: Promise<Ended>;
  interrupt(signal: NodeJS.Signals): void;
}

interface LifeOptions {
  port: number | string;
  stateDir: string;
  limitsRates?: boolean;
  /** The command that starts it: npm, the script of npm, or what that calls. */
  by?: keyof typeof starters | undefined;
  /** The PATH. */
  path?: string;
  flags?: string[];
  /** Further variables. */
  env?: Record<string, string>;
  /** A descriptor that its shell leaves open. */
  leavesOpen?: number;
}

const starters = {
  npm: ["npm", "--silent", "start", "--"],
  setup: [process.execPath, "setup.mjs", "scripts/start.ts"],
  node: [join(root, "node_modules/.bin/node"), "scripts/start.ts"],
} as const;

function startLife(options: LifeOptions): Life {
  const { port, stateDir, limitsRates, by = "node", path = process.env.PATH ?? "" } = options;
  const { flags = [], env = {}, leavesOpen } = options;
  const [file, ...args] = starters[by];
  const child = spawn(file, [...args, ...flags], {
    cwd: root,
    // A separate process group, which can be signalled as a terminal does.
    detached: true,
    env: {
      PATH: path,
      HOME: stateDir,
      TMPDIR: `${stateDir}/tmp`,
      PORT: String(port),
      STATE_DIR: stateDir,
      // A developer may have an `.env` file with real keys.
      ENV_FILE: "/dev/null",
      RATE_LIMITS: limitsRates ? "on" : "off",
      // It takes a sandbox and a turn, which few tests are about.
      DEMO_DEPLOY: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", ...(leavesOpen === undefined ? [] : leaveOpen(leavesOpen))],
  });
  if (child.pid === undefined) throw new Error("The world could not be started.");
  const output = collectOutput(child);
  const ended = new Promise<Ended>((resolve) =>
    child.once("exit", (exitCode) => resolve({ exitCode, output: output() })),
  );
  const ready = Promise.race([
    until("the world to be ready", () => /^Sandboxes .*\.$\n/m.test(output()) && output()),
    ended.then((end) => {
      throw new Error(`The world ended before it was ready (${end.exitCode}):\n${end.output}`);
    }),
  ]);
  ready.catch(() => {});
  return { id: child.pid, ready, ended, interrupt: (signal) => child.kill(signal) };
}

const leaveOpen = (descriptor: number): (number | "ignore")[] => [
  ...Array.from({ length: leftDescriptor - 3 }, () => "ignore" as const),
  descriptor,
];

function collectOutput(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => chunks.push(text));
  return () => chunks.join("");
}
