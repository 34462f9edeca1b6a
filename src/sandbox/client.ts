// The client of the sandbox program: its HTTP interface as typed calls. A refusal of the program is a value, like every refusal.

import { reasonOf } from "../reason.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type {
  CheckoutSkills,
  FileTree,
  GitChanges,
  GitLog,
  GitPatch,
  GitReading,
  LineAnchors,
  LineReading,
} from "./checkout-query.ts";
import { unlessCutOff } from "./cut-off.ts";
import { brokenHeader, programPort, SandboxBroke, type SandboxDriver, SandboxUnreachable } from "./driver.ts";
import {
  type CheckedOut,
  type Checkout,
  type Compacted,
  type Compaction,
  type FileContent,
  type FileWrite,
  type GitCommit,
  type GitCommitted,
  type GitPush,
  type ProgramRefusal,
  type ProgramStatus,
  programPaths,
  type RemoteBase,
  type RemoteBranches,
  type ServicesPlan,
  type TurnStart,
  type WorkRestored,
} from "./protocol.ts";
import { compactionOfBefore, turnStartOfBefore, withPass } from "./version-1.ts";

export type ProgramAnswer<Value> = { ok: true; value: Value } | { ok: false; refusal: ProgramRefusal };

const shortWaitMs = 10_000;
const listWaitMs = 30_000;
const gitWaitMs = 60_000;
/** The model reads the whole conversation and writes its summary. */
const compactionWaitMs = 5.5 * 60_000;
/** Within the sandbox's start deadline. */
const checkoutWaitMs = 9 * 60_000;
const archiveWaitMs = 9 * 60_000;

/**
 * Speaks to the program behind a driver with the secret of its generation. Calls throw when nothing answers in time, when the
 * connection breaks, or once `cutOff` says that nobody wants them any more.
 */
export function programClient(driver: SandboxDriver, secret: string, cutOff?: AbortSignal) {
  async function request(method: string, path: string, waitMs: number, body?: BodyInit): Promise<Response> {
    const headers = { authorization: `Bearer ${secret}` };
    const inTime = AbortSignal.timeout(waitMs);
    const signal = cutOff ? AbortSignal.any([inTime, cutOff]) : inTime;
    const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
    const answer = await unlessCutOff(driver.fetch(programPort, new Request(`http://program${path}`, init)), signal);
    if (!answer.headers.has(brokenHeader)) return answer;
    await answer.body?.cancel();
    throw new SandboxBroke();
  }

  async function call<Value>(
    method: string,
    path: string,
    waitMs: number,
    body?: unknown,
  ): Promise<ProgramAnswer<Value>> {
    return await answerOf(await request(method, path, waitMs, body === undefined ? undefined : JSON.stringify(body)));
  }

  return {
    status: () => call<ProgramStatus>("GET", programPaths.status, shortWaitMs),
    checkout: (checkout: Checkout) =>
      call<CheckedOut>("PUT", programPaths.checkout, checkoutWaitMs, withPass(checkout)),
    services: (plan: ServicesPlan) => call<null>("PUT", programPaths.services, shortWaitMs, plan),
    startTurn: (start: TurnStart) => call<null>("POST", programPaths.turns, shortWaitMs, turnStartOfBefore(start)),
    stopTurn: (turnId: string) => call<null>("POST", programPaths.stopTurn(turnId), shortWaitMs),
    compact: (compaction: Compaction) =>
      call<Compacted>("POST", programPaths.compactions, compactionWaitMs, compactionOfBefore(compaction)),
    readFile: (path: string) => call<FileContent>("GET", withQuery(programPaths.file, { path }), shortWaitMs),
    writeFile: (write: FileWrite) => call<null>("PUT", programPaths.file, shortWaitMs, write),
    files: () => call<FileTree>("GET", programPaths.files, listWaitMs),
    skills: () => call<CheckoutSkills>("GET", programPaths.skills, shortWaitMs),
    gitState: (base: string) => call<GitReading>("GET", withQuery(programPaths.gitState, { base }), shortWaitMs),
    gitChanges: (base: string) => call<GitChanges>("GET", withQuery(programPaths.gitChanges, { base }), gitWaitMs),
    gitPatch: (base: string, path: string | null) => {
      const query = path === null ? { base } : { base, path };
      return call<GitPatch>("GET", withQuery(programPaths.gitPatch, query), gitWaitMs);
    },
    gitUncommitted: () => call<GitPatch>("GET", programPaths.gitUncommitted, gitWaitMs),
    gitLog: (base: string) => call<GitLog>("GET", withQuery(programPaths.gitLog, { base }), shortWaitMs),
    gitLines: (asked: LineAnchors) => call<LineReading>("POST", programPaths.gitLines, gitWaitMs, asked),
    commit: (commit: GitCommit) => call<GitCommitted>("POST", programPaths.gitCommit, gitWaitMs, commit),
    push: (push: GitPush) => call<null>("POST", programPaths.gitPush, gitWaitMs, withPass(push)),
    remoteBase: (branches: RemoteBranches) =>
      call<RemoteBase>("POST", programPaths.remoteBase, gitWaitMs, withPass(branches)),
    /** The work as one layer, on top of the base when the sandbox stands on it. */
    saveWork: (baseId: string | null) =>
      request("GET", withQuery(programPaths.work, baseId === null ? {} : { base: baseId }), archiveWaitMs),
    restoreWork: async (layer: ReadableStream) =>
      await answerOf<WorkRestored>(await request("PUT", programPaths.work, archiveWaitMs, layer)),
    makeBase: (id: string) => request("GET", withQuery(programPaths.base, { id }), archiveWaitMs),
    /** Puts a base beneath the work that was restored before it, or begins with it. */
    restoreBase: async (layer: ReadableStream, { beneathWork }: { beneathWork: boolean }) => {
      const path = withQuery(programPaths.base, { beneathWork: String(beneathWork) });
      return await answerOf<null>(await request("PUT", path, archiveWaitMs, layer));
    },
  };
}

async function answerOf<Value>(answer: Response): Promise<ProgramAnswer<Value>> {
  if (!answer.ok) return { ok: false, refusal: await answer.json<ProgramRefusal>() };
  const text = await answer.text();
  return { ok: true, value: (text === "" ? null : JSON.parse(text)) as Value };
}

export type ProgramClient = ReturnType<typeof programClient>;

function withQuery(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/** The value of an answer, or the program's refusal in the service's words (Part 1, "Errors"). */
export function unwrap<Value>(answer: ProgramAnswer<Value>): Value | Refusal {
  if (answer.ok) return answer.value;
  const { code, message } = answer.refusal;
  switch (code) {
    case "NOT_FOUND":
    case "OUTSIDE_PROJECT":
      return refuse("NOT_FOUND", message);
    case "BINARY_CONTENT":
    case "WRITE_FAILED":
    case "GIT_REFUSED":
    case "NOTHING_TO_COMMIT":
    case "NO_CHECKOUT":
    case "BAD_CALL":
      return refuse("BAD_REQUEST", message);
    case "TURN_RUNNING":
      return refuse("JOB_ACTIVE", message);
    case "COMPACTION_FAILED":
    case "REMOTE_SILENT":
      return refuse("SERVICE_UNAVAILABLE", message);
    default:
      return refuse("SERVICE_UNAVAILABLE", "The sandbox could not do this. Try again shortly.");
  }
}

/**
 * The program's answer, or a refusal. What broke off, or was not answered in time, was perhaps done: it is not asked again. Throws
 * SandboxUnreachable when nothing took the call.
 */
export async function answered<Value>(ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal> {
  try {
    return unwrap(await ask());
  } catch (error) {
    if (error instanceof SandboxUnreachable) throw error;
    console.error("sandbox did not answer", reasonOf(error));
    return refuse("SERVICE_UNAVAILABLE", "The sandbox did not answer. Read how far it came, then try again.");
  }
}
