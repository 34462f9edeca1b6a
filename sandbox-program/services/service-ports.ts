// The ports of one service: the environment variables that name them, and freeing them from stray
// processes.
import type { ServicePlan } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import type { Environment } from "../process/environment.ts";
import { findPortHolder } from "./port-holder.ts";
import type { Ports } from "./port-map.ts";

/** `PORT` for the first endpoint of a service, `PORT_<NAME>` for each named endpoint. */
export function getPortEnvironment(plan: ServicePlan, ports: Ports): Environment {
  const env: Environment = {};
  for (const [index, endpoint] of plan.endpoints.entries()) {
    const port = String(ports.real(endpoint.port));
    if (index === 0) env.PORT = port;
    if (endpoint.name) env[`PORT_${endpoint.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`] = port;
  }
  return env;
}

/**
 * Kills stray processes of this sandbox that hold a port of the service. Processes of a turn or of
 * another service are spared.
 */
export function releaseServicePorts(
  folders: Folders,
  ports: Ports,
  { endpoints }: ServicePlan,
  note: (text: string) => void,
): void {
  for (const { port } of endpoints) {
    const holder = findPortHolder(ports.real(port));
    if (holder === null) continue;
    const { id, command, environment } = holder;
    const isMinded = id === process.pid || /\0SWITCHYARD_(TURN|SERVICE)=/.test(environment);
    const isOfSandbox = !ports.isMapped || environment.includes(`\0HOME=${folders.home}\0`);
    if (isMinded || !isOfSandbox) {
      note(`finds port ${port} held by process ${id}: ${command}`);
      continue;
    }
    note(`ends process ${id}, which holds port ${port}: ${command}`);
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
}
