// Every path of the program's interface and what answers it.
import { type ProgramStatus, programPaths, protocolVersion } from "../src/sandbox/protocol.ts";
import type { Agent } from "./agent.ts";
import { restoreArchive, sendArchive } from "./archive.ts";
import { checkId, type Fields, readFields } from "./body.ts";
import {
  checkBranch,
  readCheckoutCall,
  readCommitCall,
  readFileWriteCall,
  readPushCall,
  readServicesCall,
} from "./calls.ts";
import { ensureCheckout, readCheckout } from "./checkout.ts";
import { readProjectFile, writeProjectFile } from "./files.ts";
import type { Folders } from "./folders.ts";
import { commitAll, pushBranch, readGitState } from "./git.ts";
import { answered, type Call, type Route, type RouteTable } from "./http.ts";
import type { Ports } from "./ports.ts";
import type { Services } from "./services.ts";
import { readCompactionCall, readTurnCall } from "./turn-calls.ts";
import type { Turns } from "./turns.ts";

export interface Parts {
  folders: Folders;
  agent: Agent;
  turns: Turns;
  services: Services;
  ports: Ports;
}

/** Room for the longest file in any script, and for a long conversation handed over. */
const bodyLimitBytes = 16 * 1_024 * 1_024;

/** The routes over these parts. */
export function createRoutes({ folders, agent, turns, services, ports }: Parts): RouteTable {
  const inTurn = createQueue();

  const status = async (): Promise<ProgramStatus> => ({
    protocolVersion,
    agentVersion: agent.version,
    checkedOut: readCheckout(folders) !== null,
    turnId: turns.runningId(),
    services: await services.status(),
  });

  const table: Record<string, { route: Route; status: number }> = {
    [`GET ${programPaths.status}`]: { route: status, status: 200 },
    [`PUT ${programPaths.checkout}`]: withBody((body) => inTurn(() => ensureCheckout(folders, readCheckoutCall(body)))),
    [`PUT ${programPaths.services}`]: withBody((body) => inTurn(() => services.apply(readServicesCall(body)))),
    [`GET ${programPaths.ports}`]: { route: () => ports.map(), status: 200 },
    [`POST ${programPaths.turns}`]: withBody((body) => turns.start(readTurnCall(body)), 202),
    [`POST ${programPaths.compactions}`]: withBody((body) => turns.compact(readCompactionCall(body)), 200),
    [`GET ${programPaths.file}`]: {
      route: ({ url }) => readProjectFile(folders, url.searchParams.get("path") ?? ""),
      status: 200,
    },
    [`PUT ${programPaths.file}`]: withBody((body) => writeProjectFile(folders, readFileWriteCall(body))),
    [`GET ${programPaths.gitState}`]: { route: ({ url }) => readGitState(folders, branchOf(url)), status: 200 },
    [`POST ${programPaths.gitCommit}`]: withBody((body) => inTurn(() => commitAll(folders, readCommitCall(body)))),
    [`POST ${programPaths.gitPush}`]: withBody((body) => inTurn(() => pushBranch(folders, readPushCall(body)))),
    [`GET ${programPaths.archive}`]: { route: archiveOut, status: 200 },
    [`PUT ${programPaths.archive}`]: {
      route: ({ request }) => inTurn(() => restoreArchive(folders, request)),
      status: 200,
    },
  };

  async function archiveOut({ response }: Call): Promise<typeof answered> {
    await sendArchive(folders, response);
    return answered;
  }

  return {
    find(method, path) {
      const stopped = method === "POST" ? turnToStop(path) : null;
      if (stopped !== null) return { route: () => turns.stop(checkId(stopped)), status: 200 };
      return table[`${method} ${path}`];
    },
  };
}

function withBody(run: (body: Fields) => unknown, status = 200): { route: Route; status: number } {
  return { route: async ({ request }) => run(await readFields(request, bodyLimitBytes)), status };
}

function branchOf(url: URL): string | null {
  const base = url.searchParams.get("base");
  return base === null ? null : checkBranch(base);
}

function turnToStop(path: string): string | null {
  const id = path.split("/")[2] ?? "";
  return path === programPaths.stopTurn(id) ? id : null;
}

/** Runs one thing after another: what changes the checkout or the services does not overlap. */
function createQueue(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => {});
    return next;
  };
}
