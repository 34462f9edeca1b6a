// The ports of one service: how it is told of them, and how they are freed of what should not hold them.
import type { ServicePlan } from "../../src/sandbox/protocol.ts";
import type { Folders } from "../folders.ts";
import type { Environment } from "../process/environment.ts";
import { portHolder } from "./port-holder.ts";
import type { Ports } from "./port-map.ts";

/** `PORT` for the first endpoint of a service, `PORT_<NAME>` for each that has a name. */
export function portEnvironment(plan: ServicePlan, ports: Ports): Environment {
  const env: Environment = {};
  for (const [index, endpoint] of plan.endpoints.entries()) {
    const port = String(ports.real(endpoint.port));
    if (index === 0) env.PORT = port;
    if (endpoint.name) env[`PORT_${endpoint.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`] = port;
  }
  return env;
}

/** Ends strays of this sandbox that hold a port of the service. What a turn or another service started is none. */
export function freeServicePorts(
  folders: Folders,
  ports: Ports,
  { endpoints }: ServicePlan,
  note: (text: string) => void,
): void {
  for (const { port } of endpoints) {
    const holder = portHolder(ports.real(port));
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
      // It ended on its own.
    }
  }
}
