// The client of the sandbox program: its HTTP interface as typed calls. A refusal by the program is
// a return value, like every refusal.

import { log } from "../../lib/log.ts";
import { withAbort } from "../../lib/timeout.ts";
import { workBundleBytes } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type {
  AnchoredLines,
  CheckoutSkills,
  FileTree,
  GitChanges,
  GitLog,
  GitPatch,
  GitState,
  LineAnchors,
} from "../../sandbox-protocol/checkout-query.ts";
import { bootHeader, brokenHeader } from "../../sandbox-protocol/headers.ts";
import {
  type BranchFetch,
  type CheckedOut,
  type Checkout,
  type Compacted,
  type Compaction,
  type FileContent,
  type FileWrite,
  type Followed,
  type GitCommit,
  type GitCommitted,
  type GitPush,
  type ProgramRefusal,
  type ProgramStatus,
  programPaths,
  type ServiceLog,
  type ServicesPlan,
  type SetupOutput,
  type TurnStart,
  type WorkRestored,
  type WorkState,
} from "../../sandbox-protocol/protocol.ts";
import { isUnderstood } from "../rules/program-version.ts";
import { SandboxBroke, type SandboxDriver, SandboxUnreachable } from "./driver.ts";
import {
  AnswerTooLong,
  type AnswerBounds as CallBounds,
  type ProgramAnswer,
  readProgramAnswer,
  readProgramResponse,
} from "./response.ts";

const mebibyte = 1_024 * 1_024;

const shortWaitMs = 10_000;
const listWaitMs = 30_000;
const gitWaitMs = 60_000;
/** In this time a model reads the whole conversation and writes its summary. */
const compactionWaitMs = 5.5 * 60_000;
/** Shorter than the start deadline of a sandbox. */
const checkoutWaitMs = 9 * 60_000;
const archiveWaitMs = 9 * 60_000;

/** A response without a list or a file, such as a status. */
const shortBytes = 1 * mebibyte;
/** The longest file, with each character as its longest JSON escape. */
const fileBytes = 8 * mebibyte;
/** A service log, with each character as its longest JSON escape. */
const serviceLogAnswerBytes = 2 * mebibyte;
/** The longest list or patch that the program sends. */
const listBytes = 32 * mebibyte;
/** The disk of a sandbox, which no layer exceeds. */
const layerBytes = 12_000 * mebibyte;

/** The work of a checkout as a git bundle; no bundle if it is the one that the caller has. */
export interface WorkBundle {
  work: string;
  bundle: AsyncIterable<Uint8Array> | null;
}

/** The folders of a base that git ignores, while they are still on their way. */
export interface RestOfBase {
  /** Why they could not be unpacked, or null. The sandbox then ends. Rejects if it ended before. */
  rest: Promise<ProgramRefusal | null>;
}

/** A save of a sandbox's work. */
export interface WorkSave {
  baseId: string | null;
  id: string;
  /** The id of the save that is current; null if the work is to be saved in any case. */
  known: string | null;
}

/** The program that a client calls. */
export interface Program {
  /** The secret of its generation. */
  secret: string;
  /** The process that was started; null if any process will do. */
  bootId?: string | null | undefined;
  /** The protocol version of the program, if it is known. */
  protocol?: number | null | undefined;
}

const outdated: ProgramRefusal = {
  code: "OUTDATED",
  message:
    "The sandbox was started by another version of the service, and is replaced once its turn is over. Its work is kept. Try again then.",
};

/** True for calls that mean the same in every version. */
function isForEveryVersion(path: string): boolean {
  const [name = ""] = path.split("?");
  const { status, services, work, stopTurn } = programPaths;
  return [status, services, work].some((one) => one === name) || name === stopTurn(name.split("/")[2] ?? "");
}

/**
 * Calls the program of a driver. A call throws if the program does not respond in time, if the
 * connection breaks, or if `abortSignal` aborts. A response from another process than the one that
 * was started does not count: that sandbox is lost.
 */
export function createProgramClient(
  driver: SandboxDriver,
  { secret, bootId = null, protocol = null }: Program,
  abortSignal?: AbortSignal,
) {
  async function request(method: string, path: string, bounds: CallBounds, body?: BodyInit): Promise<Response> {
    const headers = { authorization: `Bearer ${secret}` };
    const { signal } = bounds;
    const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
    const answer = await withAbort(driver.fetch(new Request(`http://program${path}`, init)), signal);
    if (answer.headers.has(brokenHeader)) {
      await answer.body?.cancel();
      throw new SandboxBroke();
    }
    await throwIfAnother(answer, bootId);
    return answer;
  }

  /** The timeout of a call with its response, and the size limit of the response. */
  function within(waitMs: number, mostBytes: number): CallBounds {
    const timeout = AbortSignal.timeout(waitMs);
    return { mostBytes, signal: abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout };
  }

  async function call<Value>(
    method: string,
    path: string,
    waitMs: number,
    body?: unknown,
    mostBytes = shortBytes,
  ): Promise<ProgramAnswer<Value>> {
    if (!isUnderstood(protocol) && !isForEveryVersion(path)) return { ok: false, refusal: outdated };
    const bounds = within(waitMs, mostBytes);
    const answer = await request(method, path, bounds, body === undefined ? undefined : JSON.stringify(body));
    return await readProgramAnswer<Value>(answer, bounds);
  }

  /** A call with a long response. */
  const callLong = <Value>(path: string, waitMs: number, mostBytes: number, body?: unknown) =>
    call<Value>(body === undefined ? "GET" : "POST", path, waitMs, body, mostBytes);

  async function download(path: string): Promise<ProgramAnswer<AsyncIterable<Uint8Array>>> {
    const bounds = within(archiveWaitMs, layerBytes);
    return await readProgramResponse(await request("GET", path, bounds), bounds);
  }

  async function upload<Value>(path: string, layer: ReadableStream): Promise<ProgramAnswer<Value>> {
    const bounds = within(archiveWaitMs, shortBytes);
    return await readProgramAnswer<Value>(await request("PUT", path, bounds, layer), bounds);
  }

  /** Returns when the checkout of a base is in place, with what follows. */
  async function uploadBase(path: string, layer: ReadableStream): Promise<ProgramAnswer<RestOfBase>> {
    const bounds = within(archiveWaitMs, shortBytes);
    const response = await request("PUT", path, bounds, layer);
    const read = readProgramAnswer<ProgramRefusal | null>(response, bounds);
    if (!response.ok) {
      const answer = await read;
      if (!answer.ok) return answer;
    }
    return { ok: true, value: { rest: read.then((answer) => (answer.ok ? answer.value : answer.refusal)) } };
  }

  /** Downloads the work as a bundle; null if the caller's is the same. */
  async function downloadWork(have: readonly string[], known: string | null): Promise<ProgramAnswer<WorkBundle>> {
    if (!isUnderstood(protocol)) return { ok: false, refusal: outdated };
    const bounds = within(archiveWaitMs, workBundleBytes);
    const query = new URLSearchParams([
      ...have.map((commit) => ["have", commit]),
      ...(known === null ? [] : [["known", known]]),
    ]);
    const response = await request("GET", `${programPaths.gitWork}?${query}`, bounds);
    if (response.status === 304 && known !== null) return { ok: true, value: { work: known, bundle: null } };
    const work = response.headers.get("etag") ?? "";
    // A sandbox runs untrusted code, and readers get this id.
    if (response.ok && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(work)) {
      await response.body?.cancel();
      throw new Error("The sandbox sent a work without its id.");
    }
    const read = await readProgramResponse(response, bounds);
    return read.ok ? { ok: true, value: { work, bundle: read.value } } : read;
  }

  /**
   * Downloads the work as one layer, on top of the base if the sandbox was made from it. Null if it
   * is unchanged since the save with the id `known`.
   */
  async function downloadLayer({
    baseId,
    id,
    known,
  }: WorkSave): Promise<ProgramAnswer<AsyncIterable<Uint8Array> | null>> {
    const bounds = within(archiveWaitMs, layerBytes);
    const query = { id, ...(baseId !== null && { base: baseId }), ...(known !== null && { known }) };
    const response = await request("GET", withQuery(programPaths.work, query), bounds);
    if (response.status === 304 && known !== null) return { ok: true, value: null };
    return await readProgramResponse(response, bounds);
  }

  return {
    status: () => call<ProgramStatus>("GET", programPaths.status, shortWaitMs),
    checkout: (checkout: Checkout) => call<CheckedOut>("PUT", programPaths.checkout, checkoutWaitMs, checkout),
    setupOutput: () => call<SetupOutput>("GET", programPaths.setupOutput, shortWaitMs),
    followTargetBranch: (checkout: Checkout) =>
      call<Followed>("POST", programPaths.followTargetBranch, checkoutWaitMs, checkout),
    services: (plan: ServicesPlan) => call<null>("PUT", programPaths.services, shortWaitMs, plan),
    serviceLog: (name: string, after: string | null) => {
      const query = after === null ? { name } : { name, after };
      return callLong<ServiceLog>(withQuery(programPaths.serviceLog, query), shortWaitMs, serviceLogAnswerBytes);
    },
    startTurn: (start: TurnStart) => call<null>("POST", programPaths.turns, shortWaitMs, start),
    stopTurn: (turnId: string) => call<null>("POST", programPaths.stopTurn(turnId), shortWaitMs),
    compact: (compaction: Compaction) =>
      call<Compacted>("POST", programPaths.compactions, compactionWaitMs, compaction),
    readFile: (path: string) => callLong<FileContent>(withQuery(programPaths.file, { path }), shortWaitMs, fileBytes),
    writeFile: (write: FileWrite) => call<null>("PUT", programPaths.file, shortWaitMs, write),
    files: () => callLong<FileTree>(programPaths.files, listWaitMs, listBytes),
    skills: () => callLong<CheckoutSkills>(programPaths.skills, shortWaitMs, listBytes),
    gitState: (base: string) => call<GitState>("GET", withQuery(programPaths.gitState, { base }), gitWaitMs),
    gitChanges: (base: string) =>
      callLong<GitChanges>(withQuery(programPaths.gitChanges, { base }), gitWaitMs, listBytes),
    gitPatch: (base: string, path: string | null) => {
      const query = path === null ? { base } : { base, path };
      return callLong<GitPatch>(withQuery(programPaths.gitPatch, query), gitWaitMs, listBytes);
    },
    gitUncommitted: () => callLong<GitPatch>(programPaths.gitUncommitted, gitWaitMs, listBytes),
    gitLog: (base: string) => callLong<GitLog>(withQuery(programPaths.gitLog, { base }), shortWaitMs, listBytes),
    gitLines: (lines: LineAnchors) => callLong<AnchoredLines>(programPaths.gitLines, gitWaitMs, listBytes, lines),
    fetchBranch: (fetch: BranchFetch) => call<null>("POST", programPaths.gitBranch, gitWaitMs, fetch),
    commit: (commit: GitCommit) => call<GitCommitted>("POST", programPaths.gitCommit, gitWaitMs, commit),
    push: (push: GitPush) => call<null>("POST", programPaths.gitPush, gitWaitMs, push),
    readWork: downloadWork,
    writeWork: (expected: string, bundle: ReadableStream) =>
      upload<WorkState>(withQuery(programPaths.gitWork, { expected }), bundle),
    saveWork: downloadLayer,
    restoreWork: (layer: ReadableStream) => upload<WorkRestored>(programPaths.work, layer),
    createPrebuild: (id: string) => download(withQuery(programPaths.base, { id })),
    /**
     * Adds a base beneath the work that was already restored, or starts the sandbox from the base.
     * With `early`, folders that git ignores may follow as the `rest`.
     */
    restorePrebuild: (layer: ReadableStream, how: { beneathWork: boolean; early: boolean }) =>
      uploadBase(withQuery(programPaths.base, { beneathWork: `${how.beneathWork}`, early: `${how.early}` }), layer),
  };
}

/**
 * Throws SandboxUnreachable for a response that does not come from the process that was started.
 */
export async function throwIfAnother(answer: Response, bootId: string | null): Promise<void> {
  if (bootId === null || answer.headers.get(bootHeader) === bootId) return;
  await answer.body?.cancel();
  throw new SandboxUnreachable(true);
}

export type ProgramClient = ReturnType<typeof createProgramClient>;

function withQuery(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/**
 * Returns the value of a response, or the program's refusal as a refusal of the service (Part 1,
 * "Errors").
 */
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
    case "FILE_CHANGED":
      return refuse("FILE_CHANGED", message);
    case "WORK_CHANGED":
      return refuse("CONFLICT", message);
    case "TURN_RUNNING":
      return refuse("JOB_ACTIVE", message);
    case "OUTDATED":
    case "COMPACTION_FAILED":
    case "REMOTE_SILENT":
      return refuse("SERVICE_UNAVAILABLE", message);
    default:
      return refuse("SERVICE_UNAVAILABLE", "The sandbox could not do this. Try again shortly.");
  }
}

/**
 * Returns the result of a call, or a refusal. A call that failed or timed out may have been
 * performed, so it is not repeated. Throws SandboxUnreachable if the program did not receive the
 * call.
 */
export async function callOnce<Value>(call: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal> {
  try {
    return unwrap(await call());
  } catch (error) {
    if (error instanceof SandboxUnreachable) throw error;
    log.warn("program_call.failed", { error });
    if (error instanceof AnswerTooLong) return refuse("SERVICE_UNAVAILABLE", error.message);
    return refuse("SERVICE_UNAVAILABLE", "The sandbox did not answer. Check what it did, then try again.");
  }
}
