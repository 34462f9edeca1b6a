// The lifecycle of a sandbox: start, use, loss and restart; its end is in `pause.ts`. Each start
// has a generation number, and events of an older generation are ignored.
import type { TurnOwner } from "../../chat/rules/chat.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SandboxEffect } from "../../rules/effect.ts";
import { awayHoldMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { inNewContainer } from "./container.ts";
import { isSameOwner, mayAdopt, type SandboxOwner } from "./owner.ts";

export const sandboxStates = ["absent", "creating", "running", "pausing", "paused", "resuming", "gone"] as const;
export type SandboxLifeState = (typeof sandboxStates)[number];

/** A turn that keeps a sandbox from going idle. */
export interface SandboxHolder {
  turnId: string;
  owner: TurnOwner;
  /** True if it changes nothing, so that nothing is saved when it ends. */
  reads?: boolean;
}

export interface Sandbox {
  state: SandboxLifeState;
  /** Incremented by each start. */
  generation: number;
  owner: SandboxOwner | null;
  /** The secret of the program of this generation. */
  secret: string;
  /**
   * The generation in which its container started, earlier for a spare's. 0: it certainly has none;
   * null: an earlier version started it.
   */
  containerGeneration: number | null;
  /**
   * The process of the program that this generation started; null while it is not running, and for
   * a program that does not tell it.
   */
  bootId: string | null;
  /**
   * The build of the program that runs, as `SANDBOX_PROGRAM` named it at its start; null for one
   * that an earlier version started.
   */
  program: string | null;
  /**
   * The version of the protocol that the running program told; null as for `program`, and while it
   * is not running.
   */
  protocol: number | null;
  /** The last saved work, which the next start restores. */
  archiveKey: string | null;
  /** The turns that keep it from going idle. It is idle once none is left. */
  holders: SandboxHolder[];
  /** The last work or look. */
  lastUsedAt: number;
  /**
   * When somebody last looked at it: a preview, a file, an event stream that a person reads; null
   * if nobody did.
   */
  lastLookedAt: number | null;
  /** The time of its start, in milliseconds since the epoch; null while it is not running. */
  runningSince: number | null;
  /** True if a visit to its preview resumes it when it is paused. Set when it is created. */
  resumesOnVisit: boolean;
  /** The start of a reset, in milliseconds since the epoch; null without one. */
  resettingSince: number | null;
  /** The failure of the last start, for those who waited for it. */
  failure: StartFailure | null;
  /**
   * The setup command that failed in the last start, with the end of its output, where an agent is
   * to mend it.
   */
  setupFailure: string | null;
  /** The branch of the spare that its session took over, until that start is done. */
  spareBranch: string | null;
}

export interface StartFailure {
  refusal: Refusal;
  at: number;
  /** The start was cancelled by a stop, so another one may be tried at once. */
  isCalledOff: boolean;
  /** The saved work cannot be restored, so that another start would fail too. */
  isUnrestorable?: boolean | undefined;
}

/** The deadline of a start, with clone and setup. */
export const startDeadlineMs = 10 * 60_000;

export const absentSandbox: Sandbox = {
  state: "absent",
  generation: 0,
  owner: null,
  secret: "",
  containerGeneration: 0,
  bootId: null,
  program: null,
  protocol: null,
  archiveKey: null,
  holders: [],
  lastUsedAt: 0,
  lastLookedAt: null,
  runningSince: null,
  resumesOnVisit: true,
  resettingSince: null,
  failure: null,
  setupFailure: null,
  spareBranch: null,
};

export type SandboxDecision<Answer> = Decision<Sandbox, Answer, SandboxEffect>;

/** What a start came to. */
export interface Started {
  generation: number;
  /** A base would have saved time. */
  paysABase: boolean;
  /**
   * How long it took to move a base of an earlier commit on, with its setup; null where none was.
   */
  baseMovedMs?: number | null | undefined;
  setupFailure?: string | null | undefined;
  bootId?: string | null | undefined;
  program?: string | null | undefined;
  protocol?: number | null | undefined;
}

export interface WakeCommand {
  owner: SandboxOwner;
  secret: string;
  /** The build of the program that starts now. */
  program: string;
  /** Used only if this creates the sandbox. */
  resumesOnVisit: boolean;
}

/**
 * Requests a running sandbox. Answers its state, and begins a start if none is in flight. A sandbox
 * keeps its owner, except a spare, which a session takes over.
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
      return refuse("BAD_REQUEST", "This session's sandbox has been removed.");
    case "pausing":
      return refuse("SANDBOX_STARTING", "The sandbox is being paused. Send again shortly.");
    case "absent":
    case "paused": {
      const generation = sandbox.generation + 1;
      const state = sandbox.state === "absent" ? "creating" : "resuming";
      const { owner, secret, program } = command;
      const resumesOnVisit = sandbox.generation === 0 ? command.resumesOnVisit : sandbox.resumesOnVisit;
      const begun = {
        state,
        generation,
        owner,
        secret,
        program,
        resumesOnVisit,
        lastUsedAt: now,
        failure: null,
      } as const;
      return inNewContainer({ ...sandbox, ...begun }, "starting", startEffects(generation, now));
    }
  }
}

/**
 * A session takes a spare over: the sandbox gets its owner and a new generation, so that no token
 * of before is good any more. The running process goes on; the start makes its checkout the
 * session's, or begins anew where that cannot be done.
 */
function takeOver(
  sandbox: Sandbox,
  spare: SandboxOwner,
  { owner, secret: newSecret, resumesOnVisit }: WakeCommand,
  now: number,
): SandboxDecision<"starting"> {
  if (sandbox.state === "gone") return refuse("BAD_REQUEST", "This session's sandbox has been removed.");
  const generation = sandbox.generation + 1;
  const secret = sandbox.state === "running" ? sandbox.secret : newSecret;
  const begun = {
    owner,
    generation,
    secret,
    resumesOnVisit,
    lastUsedAt: now,
    failure: null,
    spareBranch: spare.branch,
  };
  const resumed = { ...asleep(sandbox), ...begun, state: "resuming" } as const;
  const effects = startEffects(generation, now);
  return sandbox.state === "running"
    ? decided(resumed, "starting", effects)
    : inNewContainer(resumed, "starting", effects);
}

function startEffects(generation: number, now: number): SandboxEffect[] {
  return [
    { type: "remind", name: "start-overdue", at: now + startDeadlineMs },
    { type: "start", generation },
  ];
}

/** The start of a generation succeeded. */
export function started(
  sandbox: Sandbox,
  { generation, paysABase, baseMovedMs = null, ...told }: Started,
  now: number,
): SandboxDecision<{ isCurrent: boolean }> {
  const { setupFailure = null, bootId = null, program = null, protocol = null } = told;
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  const effects: SandboxEffect[] = [
    { type: "forget", name: "start-overdue" },
    { type: "remind", name: "idle", at: now + awayHoldMs },
  ];
  if (paysABase) effects.push({ type: "make-base", generation });
  else if (baseMovedMs !== null) effects.push({ type: "make-base", generation, movedMs: baseMovedMs });
  const times = { lastUsedAt: now, runningSince: now };
  const up = { state: "running", ...times, setupFailure, bootId, program, protocol, spareBranch: null } as const;
  return decided({ ...sandbox, ...up }, { isCurrent: true }, effects);
}

/** The start of a generation failed or took too long. The saved work can be started again. */
export function startFailed(
  sandbox: Sandbox,
  generation: number,
  refusal: Refusal,
  now: number,
  isUnrestorable?: boolean,
): SandboxDecision<{ isCurrent: boolean }> {
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  const failure = { refusal, at: now, isCalledOff: false, isUnrestorable };
  return decided({ ...asleep(sandbox), failure }, { isCurrent: true }, [
    { type: "forget", name: "start-overdue" },
    { type: "end", generation },
  ]);
}

/** A running sandbox has stopped, or is discarded. Unsaved work is lost. */
export function lost(sandbox: Sandbox, generation: number): SandboxDecision<{ isCurrent: boolean }> {
  if (sandbox.state !== "running" || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  return decided(asleep(sandbox), { isCurrent: true }, [
    { type: "forget", name: "idle" },
    { type: "end", generation },
  ]);
}

/**
 * A use is recorded at most this often, because a page makes many requests at once. The idle time
 * is extended by as much.
 */
export const useNotedEveryMs = 1_000;

/**
 * Somebody looked at the sandbox, now or before. It goes on for longer than behind work that nobody
 * looks at.
 */
export function touch(sandbox: Sandbox, lookedAt: number): SandboxDecision<null> {
  const { lastUsedAt, lastLookedAt } = sandbox;
  if (lastLookedAt !== null && lookedAt - lastLookedAt < useNotedEveryMs) return decided(sandbox, null);
  return decided({ ...sandbox, lastUsedAt: Math.max(lastUsedAt, lookedAt), lastLookedAt: lookedAt }, null);
}

/**
 * A turn begins in the sandbox, beside the turns that hold it already. It keeps the sandbox from
 * going idle.
 */
export function occupy(sandbox: Sandbox, holder: SandboxHolder, now: number): SandboxDecision<null> {
  const others = sandbox.holders.filter(({ turnId }) => turnId !== holder.turnId);
  return decided({ ...sandbox, holders: [...others, holder], lastUsedAt: now }, null);
}

/** Files were changed by hand, so the work is saved. A spare has none. */
export function changed(sandbox: Sandbox, now: number): SandboxDecision<null> {
  const effects: SandboxEffect[] =
    sandbox.state === "running" && sandbox.owner?.type !== "spare"
      ? [{ type: "save", generation: sandbox.generation }]
      : [];
  return decided({ ...sandbox, lastUsedAt: now }, null, effects);
}

/**
 * A turn has ended. The work of one that changed files is saved. Without another holder, the idle
 * time starts.
 */
export function release(sandbox: Sandbox, turnId: string, now: number): SandboxDecision<null> {
  const released = sandbox.holders.find((holder) => holder.turnId === turnId);
  if (!released) return decided(sandbox, null);
  const holders = sandbox.holders.filter((holder) => holder !== released);
  const hasWork = sandbox.state === "running" && released.reads !== true;
  const effects: SandboxEffect[] = hasWork ? [{ type: "save", generation: sandbox.generation }] : [];
  return decided({ ...sandbox, holders, lastUsedAt: now }, null, effects);
}

/** A save is stored under a key. Answers the key of the archive that is not needed any more. */
export function saved(
  sandbox: Sandbox,
  command: { generation: number; archiveKey: string },
): SandboxDecision<{ replaced: string | null }> {
  const isUnwanted = sandbox.generation !== command.generation || sandbox.state === "gone";
  if (isUnwanted) return decided(sandbox, { replaced: command.archiveKey });
  const replaced = sandbox.archiveKey === command.archiveKey ? null : sandbox.archiveKey;
  // The save may finish after its sandbox was lost. Then there is something to resume.
  const state = sandbox.state === "absent" ? "paused" : sandbox.state;
  return decided({ ...sandbox, state, archiveKey: command.archiveKey }, { replaced });
}

/** True while the sandbox of this generation starts, runs or is being paused. */
export function isGenerationAlive({ state, generation }: Sandbox, asked: number): boolean {
  return generation === asked && !["absent", "paused", "gone"].includes(state);
}

export function isStarting(sandbox: Sandbox): boolean {
  return sandbox.state === "creating" || sandbox.state === "resuming";
}

/** A stopped sandbox: `paused` with saved work, else `absent`. */
export function asleep(sandbox: Sandbox): Sandbox {
  const state = sandbox.archiveKey === null ? "absent" : "paused";
  return { ...sandbox, state, bootId: null, protocol: null, holders: [], runningSince: null, resettingSince: null };
}
