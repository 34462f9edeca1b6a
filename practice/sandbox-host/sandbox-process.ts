// A running sandbox: the program's process and its port.
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { formatNetworkRule } from "../../src/network/rules/decide.ts";
import type { NetworkInForce, SeenHost } from "../../src/network/rules/network.ts";
import { type CommandNetwork, type Isolation, listenerDescriptor } from "./isolation.ts";
import { getMachine } from "./machine.ts";
import type { ReplacedServers } from "./network/public-connection.ts";
import { createSandboxNetwork, type SandboxNetwork } from "./network/sandbox-network.ts";

export interface SandboxProcess {
  root: string;
  /** The port of the program. */
  port: number;
  /** The network that it is held to. */
  network: NetworkInForce;
  /** The hosts that it asked for; empty for one that is not held to a network. */
  seen(): SeenHost[];
  /** Settles when the process has ended, for any reason. */
  ended: Promise<void>;
  /** Ends the process and everything it started. */
  end(): Promise<void>;
}

export interface SandboxProcessOptions {
  isolation: Isolation;
  programFile: string;
  root: string;
  secret: string;
  env: Record<string, string>;
  network: NetworkInForce;
  /** What a sandbox that is held to a network reaches. */
  outside: Outside;
}

/** What the sandboxes of a host reach of its machine. */
export interface Outside {
  /** The port of the service. */
  servicePort: number;
  /** Servers of this machine instead of those of the internet, in tests. */
  replaced?: ReplacedServers;
}

/** As in the container image, so that the garbage of streamed bodies is collected early. */
const smallHeap = "--max-semi-space-size=1";
/** Without it, a signal opens the inspector, which gives access to all of the program's memory. */
const noInspector = "--disable-sigusr1";
/**
 * As in the container image: memory that is freed goes back to the machine. Without it, the C
 * library keeps what the first turn needed once.
 */
const givesMemoryBack = { MALLOC_TRIM_THRESHOLD_: "131072" };
const startTimeoutMs = 30_000;
const endTimeoutMs = 3_000;

/**
 * The folder of Node's compiled code of a program, which saves a fifth of the start time. Isolated
 * sandboxes cannot write to it, because other sandboxes would run what one wrote.
 */
export const getCompiledFolder = (programFile: string): string => join(dirname(programFile), "compiled");

/** The build of a program: its folder is named after its content. */
export const getProgramBuild = (programFile: string): string => basename(dirname(programFile));

/** Starts the program and waits for its port. */
export async function startSandboxProcess(options: SandboxProcessOptions): Promise<SandboxProcess> {
  const { isolation, root, network, outside } = options;
  await mkdir(root, { recursive: true });
  const held = await createSandboxNetwork(network, isolation, outside.servicePort, outside.replaced ?? {});
  try {
    return await runProgram(options, held);
  } catch (error) {
    await held?.close();
    throw error;
  }
}

async function runProgram(
  { isolation, programFile, root, secret, env, network }: SandboxProcessOptions,
  held: SandboxNetwork | null,
): Promise<SandboxProcess> {
  const machine = getMachine(process.env);
  // Its connections come from this machine's network, which the sandbox has not.
  const listener = held && (await openListener());
  // In its own process session, Ctrl-C in the terminal reaches only the host, which then ends its
  // sandboxes.
  const child = isolation.spawn({
    argv: [process.execPath, smallHeap, noInspector, programFile],
    root,
    readable: [
      ...[programFile, join(dirname(programFile), "archiver.cjs"), getCompiledFolder(programFile)],
      ...machine.files,
    ],
    ...(held && listener && { network: toCommandNetwork(held, listener) }),
    env: {
      ...env,
      ...givesMemoryBack,
      PATH: machine.path,
      LANG: process.env.LANG ?? "C.UTF-8",
      HOME: `${root}/home`,
      NODE_COMPILE_CACHE: getCompiledFolder(programFile),
      ...(held ? heldSettings(held, network) : { PORT: "0", HOST: "127.0.0.1" }),
      SANDBOX_SECRET: secret,
      SANDBOX_ROOT: root,
      SANDBOX_PORTS: "mapped",
      SANDBOX_WALL: isolation.wall,
      SANDBOX_COMMAND_ENV: JSON.stringify({ ...machine.variables, ...held?.variables }),
      // The program ends when its stdin closes, so a killed host takes its sandboxes with it.
      SANDBOX_LEASH: "stdin",
    },
  });
  listener?.close();
  child.stdin.on("error", () => {});
  child.stderr.on("data", (text: Buffer) => process.stderr.write(text));
  // Not `close`: child processes of the program may hold its pipes for longer.
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve())).then(() => held?.close());

  async function end(): Promise<void> {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), endTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The sandbox program did not start in time.")), startTimeoutMs);
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(timer);
      resolve(JSON.parse(line).port);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`The sandbox program ended at its start (${signal ?? code}).`)),
    );
  }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });

  return { root, port, network, seen: () => held?.seen() ?? [], ended, end };
}

/** A listening socket on a free port of this machine's loopback. */
async function openListener(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Node gives the descriptor of a server no public name. */
function toCommandNetwork(
  { folder, open }: SandboxNetwork,
  listener: Server & { _handle?: { fd: number } },
): CommandNetwork {
  const descriptor = listener._handle?.fd;
  if (descriptor === undefined) throw new Error("The descriptor of a listening socket is unknown.");
  return { folder, listener: descriptor, ...(open && { open }) };
}

function heldSettings({ waysOut }: SandboxNetwork, network: NetworkInForce): Record<string, string> {
  return {
    SANDBOX_LISTENER: String(listenerDescriptor),
    SANDBOX_WAYS_OUT: JSON.stringify(waysOut),
    SANDBOX_NETWORK_RULE: formatNetworkRule(network, "proxy"),
  };
}
