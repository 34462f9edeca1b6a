// The client of the sandbox program: its HTTP interface as typed calls. A refusal of the program is a value, like every refusal.

import { reasonOf } from "../error-text.ts";
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
  AnswerTooLong,
  type AnswerBounds as CallBounds,
  type ProgramAnswer,
  readProgramAnswer,
  streamProgramAnswer,
} from "./program-answer.ts";
import {
  type BranchFetch,
  type CheckedOut,
  type Checkout,
  type Compacted,
  type Compaction,
  type FileContent,
  type FileWrite,
  type GitCommit,
  type GitCommitted,
  type GitPush,
  type ProgramStatus,
  programPaths,
  type ServiceLog,
  type ServicesPlan,
  type TurnStart,
  type WorkRestored,
} from "./protocol.ts";
import { compactionOfBefore, turnStartOfBefore, withPass } from "./version-1.ts";

const mebibyte = 1_024 * 1_024;

const shortWaitMs = 10_000;
const listWaitMs = 30_000;
const gitWaitMs = 60_000;
/** The model reads the whole conversation and writes its summary. */
const compactionWaitMs = 5.5 * 60_000;
/** Within the sandbox's start deadline. */
const checkoutWaitMs = 9 * 60_000;
const archiveWaitMs = 9 * 60_000;

/** A status, a commit, a summary: what holds no list and no file. */
const shortBytes = 1 * mebibyte;
/** A file of the most characters, each escaped at its longest. */
const fileBytes = 8 * mebibyte;
/** A log whose every character is escaped at its longest. */
const serviceLogAnswerBytes = 2 * mebibyte;
/** The longest lists and patches that the program makes. */
const listBytes = 32 * mebibyte;
/** The disk of a sandbox: no layer of its work is larger. */
const layerBytes = 12_000 * mebibyte;

/**
 * Speaks to the program behind a driver with the secret of its generation. Calls throw when nothing answers in time, when the
 * connection breaks, or once `cutOff` says that nobody wants them any more.
 */
export function programClient(driver: SandboxDriver, secret: string, cutOff?: AbortSignal) {
  async function request(method: string, path: string, bounds: CallBounds, body?: BodyInit): Promise<Response> {
    const headers = { authorization: `Bearer ${secret}` };
    const { signal } = bounds;
    const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
    const answer = await unlessCutOff(driver.fetch(programPort, new Request(`http://program${path}`, init)), signal);
    if (!answer.headers.has(brokenHeader)) return answer;
    await answer.body?.cancel();
    throw new SandboxBroke();
  }

  /** How long a call and its answer may take, and how long the answer may be. */
  function within(waitMs: number, mostBytes: number): CallBounds {
    const inTime = AbortSignal.timeout(waitMs);
    return { mostBytes, signal: cutOff ? AbortSignal.any([inTime, cutOff]) : inTime };
  }

  async function call<Value>(
    method: string,
    path: string,
    waitMs: number,
    body?: unknown,
    mostBytes = shortBytes,
  ): Promise<ProgramAnswer<Value>> {
    const bounds = within(waitMs, mostBytes);
    const answer = await request(method, path, bounds, body === undefined ? undefined : JSON.stringify(body));
    return await readProgramAnswer<Value>(answer, bounds);
  }

  /** Asks for a long answer. */
  const ask = <Value>(path: string, waitMs: number, mostBytes: number, body?: unknown) =>
    call<Value>(body === undefined ? "GET" : "POST", path, waitMs, body, mostBytes);

  async function download(path: string): Promise<ProgramAnswer<AsyncIterable<Uint8Array>>> {
    const bounds = within(archiveWaitMs, layerBytes);
    return await streamProgramAnswer(await request("GET", path, bounds), bounds);
  }

  async function upload<Value>(path: string, layer: ReadableStream): Promise<ProgramAnswer<Value>> {
    const bounds = within(archiveWaitMs, shortBytes);
    return await readProgramAnswer<Value>(await request("PUT", path, bounds, layer), bounds);
  }

  return {
    status: () => call<ProgramStatus>("GET", programPaths.status, shortWaitMs),
    checkout: (checkout: Checkout) =>
      call<CheckedOut>("PUT", programPaths.checkout, checkoutWaitMs, withPass(checkout)),
    services: (plan: ServicesPlan) => call<null>("PUT", programPaths.services, shortWaitMs, plan),
    serviceLog: (name: string) =>
      ask<ServiceLog>(withQuery(programPaths.serviceLog, { name }), shortWaitMs, serviceLogAnswerBytes),
    startTurn: (start: TurnStart) => call<null>("POST", programPaths.turns, shortWaitMs, turnStartOfBefore(start)),
    stopTurn: (turnId: string) => call<null>("POST", programPaths.stopTurn(turnId), shortWaitMs),
    compact: (compaction: Compaction) =>
      call<Compacted>("POST", programPaths.compactions, compactionWaitMs, compactionOfBefore(compaction)),
    readFile: (path: string) => ask<FileContent>(withQuery(programPaths.file, { path }), shortWaitMs, fileBytes),
    writeFile: (write: FileWrite) => call<null>("PUT", programPaths.file, shortWaitMs, write),
    files: () => ask<FileTree>(programPaths.files, listWaitMs, listBytes),
    skills: () => ask<CheckoutSkills>(programPaths.skills, shortWaitMs, listBytes),
    gitState: (base: string) => call<GitReading>("GET", withQuery(programPaths.gitState, { base }), shortWaitMs),
    gitChanges: (base: string) => ask<GitChanges>(withQuery(programPaths.gitChanges, { base }), gitWaitMs, listBytes),
    gitPatch: (base: string, path: string | null) => {
      const query = path === null ? { base } : { base, path };
      return ask<GitPatch>(withQuery(programPaths.gitPatch, query), gitWaitMs, listBytes);
    },
    gitUncommitted: () => ask<GitPatch>(programPaths.gitUncommitted, gitWaitMs, listBytes),
    gitLog: (base: string) => ask<GitLog>(withQuery(programPaths.gitLog, { base }), shortWaitMs, listBytes),
    gitLines: (asked: LineAnchors) => ask<LineReading>(programPaths.gitLines, gitWaitMs, listBytes, asked),
    fetchBranch: (fetch: BranchFetch) => call<null>("POST", programPaths.gitBranch, gitWaitMs, fetch),
    commit: (commit: GitCommit) => call<GitCommitted>("POST", programPaths.gitCommit, gitWaitMs, commit),
    push: (push: GitPush) => call<null>("POST", programPaths.gitPush, gitWaitMs, withPass(push)),
    /** The work as one layer, on top of the base when the sandbox stands on it. */
    saveWork: (baseId: string | null) =>
      download(withQuery(programPaths.work, baseId === null ? {} : { base: baseId })),
    restoreWork: (layer: ReadableStream) => upload<WorkRestored>(programPaths.work, layer),
    makeBase: (id: string) => download(withQuery(programPaths.base, { id })),
    /** Puts a base beneath the work that was restored before it, or begins with it. */
    restoreBase: (layer: ReadableStream, { beneathWork }: { beneathWork: boolean }) =>
      upload<null>(withQuery(programPaths.base, { beneathWork: String(beneathWork) }), layer),
  };
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
    if (error instanceof AnswerTooLong) return refuse("SERVICE_UNAVAILABLE", error.message);
    return refuse("SERVICE_UNAVAILABLE", "The sandbox did not answer. Read how far it came, then try again.");
  }
}
