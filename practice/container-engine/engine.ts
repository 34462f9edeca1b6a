// The container engine of this machine: Docker, or one that is compatible with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, isIPv4 } from "node:net";

export interface Engine {
  /** Its socket, such as `unix:///run/docker.sock`. */
  socket: string;
  /** The address of this machine in the engine's default network. */
  bridge: string;
  /** Runs the engine's client and returns its output. If it fails, throws with its last lines. */
  docker(...args: string[]): Promise<string>;
}

export interface EngineSettings {
  socket: string;
  /** The client program. */
  client: string;
}

const usualSocket = "unix:///var/run/docker.sock";
const shownLines = 5;

/** Reads DOCKER_HOST and WRANGLER_DOCKER_BIN. */
export function readEngineSettings(env: Record<string, string | undefined>): EngineSettings {
  return { socket: env.DOCKER_HOST || usualSocket, client: env.WRANGLER_DOCKER_BIN || "docker" };
}

/** Finds the engine. If it cannot run sandboxes, returns one line that says what to do. */
export async function findEngine(settings: EngineSettings): Promise<Engine | string> {
  const { socket } = settings;
  if (!socket.startsWith("unix:///")) {
    return `DOCKER_HOST has to be the socket of an engine on this machine, as ${usualSocket}, and is ${JSON.stringify(socket)}.`;
  }
  const docker = createDockerClient(settings);
  const version = await docker("version", "--format", "{{.Server.Os}}").catch((error: Error) => error);
  if (version instanceof Error) {
    return `No container engine answers at ${socket}: start Docker, or set DOCKER_HOST to its socket. (${lastLine(version.message)})`;
  }
  if (version.trim() !== "linux") return `The engine at ${socket} runs no Linux containers.`;
  const bridge = await findBridge(docker);
  if (bridge === null) {
    return `Containers of the engine at ${socket} do not reach this machine over its network \`bridge\`: use an engine of this Linux machine.`;
  }
  return { socket, bridge, docker };
}

/** Creates a client of the engine. `more` has additional environment variables. */
export function createDockerClient(
  { socket, client }: EngineSettings,
  more: Record<string, string> = {},
): Engine["docker"] {
  return (...args) =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, DOCKER_HOST: socket, ...more };
      const child = spawn(client, args, { env, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      child.once("error", reject);
      child.once("close", (code) => {
        if (code === 0) return resolve(output);
        const lines = `${output}\n${said}`.trim().split("\n").slice(-shownLines);
        reject(new Error(`docker ${args[0]} failed:\n${lines.join("\n")}`));
      });
    });
}

/**
 * The address of this machine in the engine's default network. Null if the engine runs in a virtual
 * machine, as Docker Desktop does.
 */
async function findBridge(docker: Engine["docker"]): Promise<string | null> {
  const format = '{{range .IPAM.Config}}{{.Gateway}}{{"\\n"}}{{end}}';
  const gateways = (await docker("network", "inspect", "bridge", "--format", format).catch(() => "")).split("\n");
  for (const gateway of gateways.filter(isIPv4)) if (await isOwnAddress(gateway)) return gateway;
  return null;
}

/**
 * A bridge without containers is down, so Node does not list it among the interfaces. But a server
 * can still listen on its address.
 */
export async function isOwnAddress(address: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(0, address), "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";
