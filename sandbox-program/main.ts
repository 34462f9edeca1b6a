// The program inside a sandbox: git, files, services and the coding agent, behind an HTTP API that
// only the service may call.
import { randomUUID } from "node:crypto";
import { bootHeader } from "../src/sandbox-protocol/headers.ts";
import { createPiAgent } from "./agent/pi/agent.ts";
import { createFolders, getFolders } from "./folders.ts";
import { createRoutes } from "./http/routes.ts";
import { createProgramServer } from "./http/server.ts";
import { createIdleLook, idleLookMs } from "./idle-memory.ts";
import { createLeave } from "./leave.ts";
import { createWaysOut } from "./network/ways-out.ts";
import { createCarrier } from "./preview/carry.ts";
import { killMarked } from "./process/process-family.ts";
import { shareWithCommands } from "./process/shell-environment.ts";
import { closeState, takeAgentsRights } from "./process/users.ts";
import { setWall } from "./process/wall.ts";
import { deleteUnfinished } from "./rest-of-checkout.ts";
import { createPorts } from "./services/port-map.ts";
import { createServices } from "./services/services.ts";
import { readSettings } from "./settings.ts";
import { createTerminals } from "./terminal/terminals.ts";
import { createTurns } from "./turn/turns.ts";

const settings = readSettings(process.env);
setWall(settings.wall);
shareWithCommands(settings.commandEnv);
if (settings.wall === "users") {
  takeAgentsRights();
  closeState(getFolders(settings.root));
}
const folders = createFolders(settings.root);
// The agent's library reads these when it loads, which is later.
Object.assign(process.env, {
  HOME: folders.home,
  TMPDIR: folders.tmp,
  PI_OFFLINE: "1",
  PI_PACKAGE_DIR: folders.state,
  PI_CODING_AGENT_DIR: `${folders.state}/pi`,
});
// After a bug the program continues, because exiting would lose the sandbox's unsaved disk.
process.on("uncaughtException", report);
process.on("unhandledRejection", report);

start().catch((error: unknown) => {
  report(error);
  process.exit(1);
});

async function start(): Promise<void> {
  // Ends the processes that a killed program in this folder left running.
  await killMarked("HOME", folders.home);
  await deleteUnfinished(folders);
  await createWaysOut(settings.waysOut);

  const agent = createPiAgent(folders, settings.networkRule);
  let ownPort = settings.port;
  const ports = createPorts(settings.mapsPorts, () => ownPort);
  const services = createServices(folders, ports, report);
  const turns = createTurns(folders, agent, services);
  const bootId = randomUUID();
  const signature = { [bootHeader]: bootId };
  const terminals = createTerminals(folders, signature, report);
  const leave = createLeave({ turns, terminals, quietMs: settings.quietMs, end: () => void end() });
  setInterval(createIdleLook(turns), idleLookMs).unref();
  const routes = createRoutes({ bootId, folders, agent, turns, services, leave });
  const sockets = { carrier: createCarrier(ports, signature), terminals };
  const server = createProgramServer({ secret: settings.secret, bootId }, routes, sockets, report);

  const { listener, port, host } = settings;
  server.listen(listener === null ? { port, host } : { fd: listener }, () => {
    const address = server.address();
    if (typeof address === "object" && address) ownPort = address.port;
    process.stdout.write(`${JSON.stringify({ port: ownPort })}\n`);
  });

  let isEnding = false;
  async function end(): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    server.close();
    await Promise.allSettled([turns.stopAll(), services.stopAll(), terminals.stopAll()]);
    process.exit(0);
  }
  process.on("SIGTERM", leave.begin);
  process.on("SIGINT", () => void end());
  if (settings.endsWithStdin)
    process.stdin
      .on("end", () => void end())
      .on("error", () => void end())
      .resume();
}

function report(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
