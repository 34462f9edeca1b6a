// The sandboxes of a world as containers of an engine. The Worker's runtime starts them as the
// platform would.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorldSandboxes } from "../local-sandboxes.ts";
import { startWayOut } from "../way-out.ts";
import { workerName } from "../worker-runtime.ts";
import { startEgressRelay } from "./egress-relay.ts";
import type { Engine } from "./engine.ts";
import { createImages } from "./images.ts";
import { createNetwork, deleteNetwork, getNetworkName } from "./network.ts";
import { openRuntimeSocket } from "./runtime-socket.ts";

export interface EngineSandboxesOptions {
  /** The folder of the Worker's runtime. */
  folder: string;
  /** The service's port. */
  port: number;
  report: (line: string) => void;
}

/**
 * Creates the missing images and the missing network, and opens the service's port to containers.
 */
export async function createEngineSandboxes(
  engine: Engine,
  { folder, port, report }: EngineSandboxesOptions,
): Promise<WorldSandboxes> {
  const images = await createImages(engine, { report });
  const name = getNetworkName(folder);
  const network = await createNetwork(engine, { name, endContainers: () => endContainers(engine, folder) });
  const [wayOut, relay] = await Promise.all([startWayOut(network.gateway, port), startEgressRelay(network.gateway)]);
  const runtime = await openRuntimeSocket(engine.socket, network, {
    SERVICE: `${network.gateway}:${port}`,
    EGRESS_RELAY: relay.address,
    EGRESS_SECRET: relay.secret,
  });
  const ending = endUnusedWaysIn(engine);
  return {
    settings: {
      // One-machine mode asks for loopback on both sides.
      SANDBOX_HOST_URL: "containers://localhost",
      SANDBOX_TO_SERVICE_URL: `http://${network.gateway}:${port}`,
      SANDBOX_NETWORKS: "held",
      SANDBOX_PROGRAM: images.sandbox.split(":")[1] ?? "",
    },
    hostUrl: "",
    containers: { socket: runtime.socket, images },
    notice: `Sandboxes are containers of the engine at ${engine.socket}.\nIn a sandbox, what an agent runs is another user than the sandbox program, and ends with its turn.`,
    async close(unsaved = []) {
      clearInterval(ending);
      await Promise.all([wayOut.close(), relay.close(), runtime.close()]);
      // The next start takes over containers that run, as after a kill. Their names do not contain
      // the keys of their sandboxes, so one with unsaved work keeps all.
      if (unsaved.length > 0) return;
      await endContainers(engine, folder);
      await deleteNetwork(engine, name);
    },
  };
}

const lookEveryMs = 60_000;
const prefix = `workerd-${workerName}-SandboxContainer-`;
const wayIn = "-proxy";

/**
 * Ends the proxies of containers that are gone. The runtime leaves one for each sandbox that ended.
 */
function endUnusedWaysIn({ docker }: Engine): NodeJS.Timeout {
  let leftBefore: string[] = [];
  async function endLeft(): Promise<void> {
    const names = (await docker("ps", "--filter", `name=${prefix}`, "--format", "{{.Names}}")).split("\n");
    const left = names.filter((name) => name.endsWith(wayIn) && !names.includes(name.slice(0, -wayIn.length)));
    // A proxy exists before its container. So only one that had no container at the last check
    // either is a leftover.
    const ended = left.filter((name) => leftBefore.includes(name));
    leftBefore = left;
    if (ended.length > 0) await docker("rm", "--force", "--volumes", ...ended);
  }
  // The next check retries what this one could not end.
  return setInterval(() => void endLeft().catch(() => {}), lookEveryMs).unref();
}

/**
 * Ends the containers of this runtime's objects. The runtime leaves them running when it ends;
 * their names contain those of their objects.
 */
export async function endContainers({ docker }: Pick<Engine, "docker">, folder: string): Promise<void> {
  const files = await readdir(join(folder, "do", `${workerName}-SandboxContainer`)).catch(() => []);
  const ids = new Set(files.map((file) => file.split(".")[0] ?? ""));
  const running = await docker("ps", "--all", "--filter", `name=${prefix}`, "--format", "{{.Names}}");
  const ours = running.split("\n").filter((one) => ids.has(one.slice(prefix.length).replace(wayIn, "")));
  if (ours.length > 0) await docker("rm", "--force", "--volumes", ...ours);
}
