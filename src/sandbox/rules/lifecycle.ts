// The lifecycle of a sandbox: start, use, loss and restart. Its end is in `pause.ts`. Each start
// has a generation number; events of an older generation are ignored.
import type { TurnOwner } from "../../chat/rules/chat.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SandboxEffect } from "../../rules/effect.ts";
import { shortestTailMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { withNewContainer } from "./container.ts";
import { type Past, withGap, withWake } from "./idle-tail.ts";
import { isSameOwner, mayAdopt, type SandboxOwner } from "./owner.ts";

export const sandboxStates = ["absent", "creating", "running", "pausing", "paused", "resuming", "gone"] as const;
export type SandboxLifeState = (typeof sandboxStates)[number];

/** A turn that keeps a sandbox from going idle. */
export interface SandboxHolder {
  turnId: string;
  owner: TurnOwner;
  /** True if the turn changes nothing, so that nothing is saved when it ends. */
  reads?: boolean;
}

/** What a sandbox has in every life. */
export interface SandboxRecord {
  /** Incremented by each start. */
  generation: number;
  owner: SandboxOwner | null;
  /** The secret of the program of this generation. */
  secret: string;
  /**
   * The generation in which its container started; earlier than `generation` for a claimed spare.
   * 0: it certainly has no container.
   */
  containerGeneration: number;
  /** The last saved work, which the next start restores. */
  archiveKey: string | null;
  /**
   * The turns that keep it from going idle. It is idle once none is left. A turn may hold a sandbox
   * that starts.
   */
  holders: SandboxHolder[];
  /** The time of the last work or view. */
  lastUsedAt: number;
  /**
   * When somebody last viewed it: a preview, a file, or an event stream that a person reads. Null
   * if nobody did.
   */
  lastLookedAt: number | null;
  /** True if a visit to its preview resumes it when it is paused. Set at creation. */
  resumesOnVisit: boolean;
  /** What its earlier lives say about how long it stays up when it is idle. */
  past: Past;
}

/** Nothing runs: `paused` with saved work, otherwise `absent`. */
export interface Asleep {
  state: "absent" | "paused";
  /** The failure of the last start, for the callers that waited for it. */
  failure: StartFailure | null;
}

/** It starts: `creating` from nothing, `resuming` from saved work or from a spare. */
export interface Starting {
  state: "creating" | "resuming";
  /** The build of its program, from `SANDBOX_PROGRAM`. */
  program: string;
  /** The branch of the spare that its session claimed. */
  spareBranch: string | null;
}

/** Its program runs. `pausing` saves the work and then ends the program. */
export interface Up {
  state: "running" | "pausing";
  /** The time of its start, in milliseconds since the epoch. */
  runningSince: number;
  /** The process of the program. */
  bootId: string;
  /** The build of the program. */
  program: string;
  /** The protocol version that the program reported. */
  protocol: number;
  /** The start of a reset, in milliseconds since the epoch; null without one. */
  resettingSince: number | null;
  /**
   * The setup command that failed in the last start, with the end of its output, if an agent is to
   * fix it.
   */
  setupFailure: string | null;
}

/** It was deleted, and cannot be started again. */
export interface Gone {
  state: "gone";
}

export type Life = Asleep | Starting | Up | Gone;
/** A field exists only in the lives in which it means something. */
export type Sandbox = SandboxRecord & Life;
export type UpSandbox = SandboxRecord & Up;

export interface StartFailure {
  refusal: Refusal;
  at: number;
  /** The start was cancelled by a stop, so another may be tried immediately. */
  isCalledOff: boolean;
  /** The saved work cannot be restored, so another start would fail too. */
  isUnrestorable?: boolean | undefined;
}

/** The deadline of a start, including clone and setup. */
export const startDeadlineMs = 10 * 60_000;

export const absentSandbox: Sandbox = {
  state: "absent",
  generation: 0,
  owner: null,
  secret: "",
  containerGeneration: 0,
  archiveKey: null,
  holders: [],
  lastUsedAt: 0,
  lastLookedAt: null,
  resumesOnVisit: true,
  past: {},
  failure: null,
};

/** The sandbox without the fields of its life. */
export function toRecord(sandbox: SandboxRecord): SandboxRecord {
  const { generation, owner, secret, containerGeneration, archiveKey, holders } = sandbox;
  const { lastUsedAt, lastLookedAt, resumesOnVisit, past } = sandbox;
  return {
    ...{ generation, owner, secret, containerGeneration, archiveKey, holders },
    ...{ lastUsedAt, lastLookedAt, resumesOnVisit, past },
  };
}

export type SandboxDecision<Result> = Decision<Sandbox, Result, SandboxEffect>;

/** The outcome of a start. */
export interface Started {
  generation: number;
  /** True if a prebuild would have saved time. */
  isPrebuildWorthwhile: boolean;
  /**
   * How long it took to update a prebuild of an earlier commit, including its setup; null if none
   * was updated.
   */
  prebuildUpdateMs?: number | null | undefined;
  setupFailure?: string | null | undefined;
  bootId: string;
  program: string;
  protocol: number;
}

export interface WakeCommand {
  owner: SandboxOwner;
  secret: string;
  /** The build of the program that new sandboxes start. */
  program: string;
  /** Used only if this creates the sandbox. */
  resumesOnVisit: boolean;
}

/**
 * Requests a running sandbox. Returns its state, and begins a start if none is in flight. A sandbox
 * keeps its owner, except that a session can claim a spare.
 */
export function wake(sandbox: Sandbox, command: WakeCommand, now: number): SandboxDecision<"running" | "starting"> {
  if (sandbox.owner && !isSameOwner(sandbox.owner, command.owner)) {
    if (mayAdopt(sandbox.owner, command.owner) && !isStarting(sandbox))
      return takeOver(sandbox, sandbox.owner, command, now);
    return refuse("BAD_REQUEST", "The sandbox belongs to another owner.");
  }
  switch (sandbox.state) {
    case "running":
      return decided({ ...sandbox, lastUsedAt: now }, "running");
    case "creating":
    case "resuming":
      return decided(sandbox, "starting");
    case "gone":
      return refuse("BAD_REQUEST", "This session's sandbox has been deleted.");
    case "pausing":
      return refuse("SANDBOX_STARTING", "The sandbox is being paused. Send again shortly.");
    case "absent":
    case "paused": {
      const generation = sandbox.generation + 1;
      const state = sandbox.state === "absent" ? "creating" : "resuming";
      const { owner, secret, program } = command;
      const resumesOnVisit = sandbox.generation === 0 ? command.resumesOnVisit : sandbox.resumesOnVisit;
      const past = { ...sandbox.past, wokenAt: now };
      const record = { ...toRecord(sandbox), generation, owner, secret, resumesOnVisit, past, lastUsedAt: now };
      const starting = { ...record, state, program, spareBranch: null } as const;
      return withNewContainer(starting, "starting", startEffects(generation, now));
    }
  }
}

/**
 * A session claims a spare. The sandbox gets its owner and a new generation, which invalidates
 * earlier tokens. The process keeps running. The start turns its checkout into the session's, or
 * starts over if that is impossible.
 */
function takeOver(
  sandbox: Sandbox,
  spare: SandboxOwner,
  command: WakeCommand,
  now: number,
): SandboxDecision<"starting"> {
  if (sandbox.state === "gone") return refuse("BAD_REQUEST", "This session's sandbox has been deleted.");
  const generation = sandbox.generation + 1;
  const isRunning = sandbox.state === "running";
  const { owner, resumesOnVisit } = command;
  const { secret, program } = isRunning ? sandbox : command;
  const of = { owner, secret, resumesOnVisit, past: {}, lastUsedAt: now };
  const record = { ...toRecord(sandbox), holders: [], generation, ...of };
  const resumed = { ...record, state: "resuming", program, spareBranch: spare.branch } as const;
  const effects = startEffects(generation, now);
  return isRunning ? decided(resumed, "starting", effects) : withNewContainer(resumed, "starting", effects);
}

function startEffects(generation: number, now: number): SandboxEffect[] {
  return [
    { type: "remind", name: "start-overdue", at: now + startDeadlineMs },
    { type: "start", id: generation },
  ];
}

/** The start of a generation succeeded. */
export function recordStart(
  sandbox: Sandbox,
  { generation, isPrebuildWorthwhile, prebuildUpdateMs = null, ...started }: Started,
  now: number,
): SandboxDecision<{ isCurrent: boolean }> {
  const { setupFailure = null, bootId, program, protocol } = started;
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  const effects: SandboxEffect[] = [
    { type: "forget", name: "start-overdue" },
    { type: "remind", name: "idle", at: now + shortestTailMs + useNotedEveryMs },
  ];
  if (isPrebuildWorthwhile) effects.push({ type: "make-base", id: generation });
  else if (prebuildUpdateMs !== null) effects.push({ type: "make-base", id: generation, movedMs: prebuildUpdateMs });
  const process = { runningSince: now, bootId, program, protocol, setupFailure, resettingSince: null };
  const up: Up = { state: "running", ...process };
  const past = withWake(sandbox.past, sandbox.archiveKey !== null, now);
  return decided({ ...toRecord(sandbox), past, lastUsedAt: now, ...up }, { isCurrent: true }, effects);
}

/**
 * The start of a generation failed or timed out. A sandbox with saved work can be started again.
 */
export function startFailed(
  sandbox: Sandbox,
  generation: number,
  refusal: Refusal,
  now: number,
  isUnrestorable?: boolean,
): SandboxDecision<{ isCurrent: boolean }> {
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  const failure = { refusal, at: now, isCalledOff: false, isUnrestorable };
  return decided(toAsleep(sandbox, failure), { isCurrent: true }, [
    { type: "forget", name: "start-overdue" },
    { type: "end", id: generation },
  ]);
}

/** A running sandbox has stopped, or is discarded. Unsaved work is lost. */
export function recordLoss(sandbox: Sandbox, generation: number): SandboxDecision<{ isCurrent: boolean }> {
  if (sandbox.state !== "running" || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  return decided(toAsleep(sandbox), { isCurrent: true }, [
    { type: "forget", name: "idle" },
    { type: "end", id: generation },
  ]);
}

/**
 * A use is recorded at most this often, because a page makes many concurrent requests. The idle
 * time is extended by as much.
 */
export const useNotedEveryMs = 1_000;

/**
 * Somebody viewed the sandbox, now or earlier. After a view it stays up longer than after work that
 * nobody views.
 */
export function recordView(sandbox: Sandbox, lookedAt: number): SandboxDecision<null> {
  const { lastUsedAt, lastLookedAt } = sandbox;
  if (lastLookedAt !== null && lookedAt - lastLookedAt < useNotedEveryMs) return decided(sandbox, null);
  return decided({ ...sandbox, lastUsedAt: Math.max(lastUsedAt, lookedAt), lastLookedAt: lookedAt }, null);
}

/** A person followed its chat, now or earlier. */
export function recordReading(sandbox: Sandbox, readAt: number): SandboxDecision<null> {
  const { lastUsedAt, past } = sandbox;
  if (readAt <= (past.readAt ?? 0)) return decided(sandbox, null);
  return decided({ ...sandbox, lastUsedAt: Math.max(lastUsedAt, readAt), past: { ...past, readAt } }, null);
}

/**
 * A turn begins in the sandbox, beside the turns that already hold it. It keeps the sandbox from
 * going idle.
 */
export function addHolder(sandbox: Sandbox, holder: SandboxHolder, now: number): SandboxDecision<null> {
  const others = sandbox.holders.filter(({ turnId }) => turnId !== holder.turnId);
  const past = withGap(sandbox.past, now);
  return decided({ ...sandbox, holders: [...others, holder], past, lastUsedAt: now }, null);
}

/** Files were changed by hand, so the work is saved. A spare has none. */
export function recordChange(sandbox: Sandbox, now: number): SandboxDecision<null> {
  const effects: SandboxEffect[] =
    sandbox.state === "running" && sandbox.owner?.type !== "spare" ? [{ type: "save", id: sandbox.generation }] : [];
  return decided({ ...sandbox, lastUsedAt: now }, null, effects);
}

/**
 * A turn has ended. If it changed files, the work is saved. Without another holder, the idle time
 * starts.
 */
export function release(sandbox: Sandbox, turnId: string, now: number): SandboxDecision<null> {
  const released = sandbox.holders.find((holder) => holder.turnId === turnId);
  if (!released) return decided(sandbox, null);
  const holders = sandbox.holders.filter((holder) => holder !== released);
  const hasWork = sandbox.state === "running" && released.reads !== true;
  const effects: SandboxEffect[] = hasWork ? [{ type: "save", id: sandbox.generation }] : [];
  if (holders.length > 0 || sandbox.state !== "running")
    return decided({ ...sandbox, holders, lastUsedAt: now }, null, effects);
  // The reminder that is set may be much later: a turn is checked on more seldom than a short tail.
  effects.push({ type: "remind", name: "idle", at: now + shortestTailMs + useNotedEveryMs });
  return decided({ ...sandbox, holders, past: { ...sandbox.past, restingSince: now }, lastUsedAt: now }, null, effects);
}

/**
 * A save is stored under a key. Returns the key of the archive that is no longer needed. `tookMs`
 * is its duration in milliseconds.
 */
export function recordSave(
  sandbox: Sandbox,
  command: { generation: number; archiveKey: string; tookMs: number },
): SandboxDecision<{ replaced: string | null }> {
  const isUnwanted = sandbox.generation !== command.generation || sandbox.state === "gone";
  if (isUnwanted) return decided(sandbox, { replaced: command.archiveKey });
  const replaced = sandbox.archiveKey === command.archiveKey ? null : sandbox.archiveKey;
  const past = { ...sandbox.past, saveMs: command.tookMs };
  const after = { ...sandbox, past, archiveKey: command.archiveKey };
  // The save may finish after its sandbox was lost. Then there is work to resume.
  return decided(after.state === "absent" ? { ...after, state: "paused" } : after, { replaced });
}

/** True while the sandbox of this generation is starting, running or being paused. */
export function isGenerationAlive({ state, generation }: Sandbox, asked: number): boolean {
  return generation === asked && !["absent", "paused", "gone"].includes(state);
}

export function isStarting(sandbox: Sandbox): sandbox is SandboxRecord & Starting {
  return sandbox.state === "creating" || sandbox.state === "resuming";
}

/** True while its program runs, even if the sandbox is being paused. */
export function isUp(sandbox: Sandbox): sandbox is UpSandbox {
  return sandbox.state === "running" || sandbox.state === "pausing";
}

/** The protocol version of its program; null if it is not known. */
export const findProtocol = (sandbox: Sandbox): number | null => (isUp(sandbox) ? sandbox.protocol : null);

/** Why its last start failed, for the callers that waited for it. */
export const findStartFailure = (sandbox: Sandbox): StartFailure | null =>
  "failure" in sandbox ? sandbox.failure : null;

/** A stopped sandbox: `paused` with saved work, otherwise `absent`. */
export function toAsleep(sandbox: Sandbox, failure: StartFailure | null = null): SandboxRecord & Asleep {
  return { ...toRecord(sandbox), holders: [], state: sandbox.archiveKey === null ? "absent" : "paused", failure };
}
