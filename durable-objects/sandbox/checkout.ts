// Reads a sandbox's checkout without waking it: its files, and how they differ from the base.

import { discardRest } from "../../src/lib/byte-stream.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { drainedPlainBytes, drainMs } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { ProgramClient } from "../../src/sandbox/program/client.ts";
import type { ProgramAnswer } from "../../src/sandbox/program/response.ts";
import { isGenerationAlive, recordChange, recordView } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox-protocol/checkout-query.ts";
import type { FileWrite, GitCommit, GitCommitted, WorkState } from "../../src/sandbox-protocol/protocol.ts";
import type { SandboxContext } from "./context.ts";
import type { ProgramCalls } from "./program-calls.ts";
import type { SentWork, WorkReader } from "./rpc.ts";
import { readSavedChanges } from "./saved-work.ts";
import { createTaskToken } from "./settings.ts";

/** A read that takes longer than this is ended if the program is silent. */
const longReadMs = 5_000;
const statusWaitMs = 3_000;

/**
 * Responds to the query. If the sandbox is not running, the result is empty, or comes from the
 * saved changes. A list of files or a draft counts as use of the sandbox.
 *
 * During a pause, the saved changes may still be those from before the last turn. A query that
 * accepts saved changes therefore reads the program until it ends.
 */
export async function readCheckout(context: SandboxContext, query: CheckoutQuery): Promise<CheckoutAnswer | Refusal> {
  const { store, calls, shell } = context;
  const isKept = "kept" in query && query.kept === true;
  const asleep = () => (isKept ? readSavedChanges(store.changes(), query) : {});
  const { state } = calls.sandbox();
  if (state !== "running" && !(isKept && state === "pausing")) return asleep();
  if (query.type === "files" || query.type === "uncommitted") shell.decide(recordView);
  const answer = await calls.callUnlessGone(() =>
    unlessSilent(calls, async (program) => {
      if ("base" in query) await trackBase(context, program, query.base);
      return await ask(program, query);
    }),
  );
  if (!isRefusal(answer)) return answer ?? asleep();
  // The query asked for a patch of a file that does not exist. Trying again would not help.
  if (answer.code === "NOT_FOUND") return answer;
  return refuse("SERVICE_UNAVAILABLE", `The sandbox could not read its ${nouns[query.type]}. ${answer.message}`);
}

/**
 * The branches that the checkout was asked to track, each with the generation in which it was
 * asked.
 */
export type TrackedBranches = Map<string, number>;

/**
 * Fetches another base once, for example after a change of the Target Branch. A clone has only the
 * branches that it started with.
 */
async function trackBase(
  { env, calls, trackedBranches }: SandboxContext,
  program: ProgramClient,
  base: string,
): Promise<void> {
  const { owner, generation } = calls.sandbox();
  if (owner === null || trackedBranches.get(base) === generation) return;
  const token = await createTaskToken(env, { key: calls.key, owner, generation }, "fetch");
  const fetched = await program.fetchBranch({ branch: base, token });
  // If the fetch fails, the query itself reports what is missing.
  if (fetched.ok) trackedBranches.set(base, generation);
}

/**
 * Ends a long read if the program does not respond to a status request either. Reading a large
 * repository may take a minute, but a frozen program never finishes.
 */
async function unlessSilent<Value>(
  calls: ProgramCalls,
  read: (program: ProgramClient) => Promise<Value>,
): Promise<Value> {
  const silent = new AbortController();
  let isReading = true;
  const reading = read(calls.program(silent.signal)).finally(() => {
    isReading = false;
  });
  await waitAtMost(
    reading.catch(() => undefined),
    longReadMs,
  );
  if (isReading && !(await isResponding(calls))) silent.abort();
  return await reading;
}

const isResponding = (calls: ProgramCalls): Promise<boolean> =>
  calls
    .program(AbortSignal.timeout(statusWaitMs))
    .status()
    .then(
      () => true,
      () => false,
    );

const nouns: Record<CheckoutQuery["type"], string> = {
  files: "files",
  skills: "skills",
  state: "git state",
  changes: "changes",
  patch: "patch",
  uncommitted: "changes",
  log: "commits",
  lines: "lines",
};

async function ask(program: ProgramClient, query: CheckoutQuery): Promise<ProgramAnswer<CheckoutAnswer>> {
  switch (query.type) {
    case "files":
      return read(await program.files(), (files) => ({ files }));
    case "skills":
      return read(await program.skills(), (skills) => ({ skills }));
    case "state":
      return read(await program.gitState(query.base), (state) => ({ state }));
    case "changes":
      return read(await program.gitChanges(query.base), (changes) => ({ changes }));
    case "patch":
      return read(await program.gitPatch(query.base, query.path), (patch) => ({ patch }));
    case "uncommitted":
      return read(await program.gitUncommitted(), (patch) => ({ patch }));
    case "log":
      return read(await program.gitLog(query.base), (log) => ({ log }));
    case "lines": {
      const { base, anchors } = query;
      return read(await program.gitLines({ base, anchors }), (lines) => ({ lines }));
    }
  }
}

function read<Value>(
  answer: ProgramAnswer<Value>,
  as: (value: Value) => CheckoutAnswer,
): ProgramAnswer<CheckoutAnswer> {
  return answer.ok ? { ok: true, value: as(answer.value) } : answer;
}

/** Reads a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
export async function readFile({ calls }: SandboxContext, path: string, asleep: string): Promise<string | Refusal> {
  const read = await calls.callIfRunning(asleep, () => calls.program().readFile(path));
  return isRefusal(read) ? read : read.content;
}

/** Replaces a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
export async function writeFile({ calls }: SandboxContext, write: FileWrite, asleep: string): Promise<Refusal | null> {
  return await calls.saveAfter(calls.callIfRunning(asleep, () => calls.program().writeFile(write)));
}

/** Reads the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
export async function readWork(
  { calls }: SandboxContext,
  { have, known }: WorkReader,
  asleep: string,
): Promise<SentWork | Refusal> {
  const read = await calls.callIfRunning(asleep, () => calls.program().readWork(have, known));
  return isRefusal(read) ? read : { work: read.work, bundle: read.bundle && toStream(read.bundle) };
}

/** A stream of bytes, which a call between objects can carry. */
function toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const next = await source.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await source.return?.();
    },
  });
}

/** Replaces the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
export async function writeWork(
  { calls }: SandboxContext,
  expected: string,
  bundle: ReadableStream<Uint8Array>,
  asleep: string,
): Promise<WorkState | Refusal> {
  const written = await calls.saveAfter(calls.callIfRunning(asleep, () => calls.program().writeWork(expected, bundle)));
  // A client that is still sending may never read the refusal.
  if (isRefusal(written) && !bundle.locked) await discardRest(bundle, drainedPlainBytes, { wholeMs: drainMs });
  return written;
}

/** Commits every change. Wakes the sandbox. */
export async function commit(
  { calls }: SandboxContext,
  owner: SandboxOwner,
  what: GitCommit,
): Promise<GitCommitted | Refusal> {
  return await calls.wakeAndChange(owner, () => calls.program().commit(what));
}

/** Pushes the branch for a member, or for an agent that acts for no member. Wakes the sandbox. */
export async function push(
  { env, calls }: SandboxContext,
  owner: SandboxOwner,
  memberId: string | null,
): Promise<Refusal | null> {
  return await calls.wakeAndChange(owner, async ({ generation }) => {
    const token = await createTaskToken(env, { key: calls.key, owner, generation, memberId }, "push");
    return await calls.program().push({ token });
  });
}

/** Saves the work now. Returns false if some of it may be only on the sandbox's disk. */
export async function saveNow({ calls, shell }: SandboxContext): Promise<boolean> {
  shell.decide(recordChange);
  const { generation } = calls.sandbox();
  await calls.settled({ type: "save", id: generation });
  await calls.settled({ type: "pause", id: generation });
  const sandbox = calls.sandbox();
  if (sandbox.state === "running") return !shell.isLeft({ type: "save", id: sandbox.generation });
  // A pause saves before it ends. A start may use a disk with work that was never saved.
  return !isGenerationAlive(sandbox, sandbox.generation);
}
