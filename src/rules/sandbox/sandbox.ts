// A sandbox's life: it is brought up, used, lost and brought up again; how it ends is told by sandbox-end.ts. Each start has a generation
// number of its own, and news of an older generation changes nothing.
import { type Decision, decided } from "../decision.ts";
import type { SandboxEffect } from "../effect.ts";
import { idleBeforePauseMs, sandboxKeyCharacters } from "../limits.ts";
import { type Refusal, refuse } from "../refusal.ts";

export const sandboxStates = ["absent", "creating", "running", "pausing", "paused", "resuming", "gone"] as const;
export type SandboxLifeState = (typeof sandboxStates)[number];

/** What a sandbox belongs to, and the branches its checkout is made from. */
export interface SandboxOwner {
  workspaceId: string;
  projectId: string;
  sessionId: string;
  branch: string;
  baseBranch: string;
}

export interface Sandbox {
  state: SandboxLifeState;
  /** Rises with each start. */
  generation: number;
  owner: SandboxOwner | null;
  /** The secret of the program of this generation. */
  secret: string;
  /** The saved work in force; a start restores it. */
  archiveKey: string | null;
  /** The turn that keeps it from going idle. */
  turnId: string | null;
  lastUsedAt: number;
  /** Since when it runs; null while it does not. */
  runningSince: number | null;
  /** Whether a visit to the preview brings it back once it is paused; settled when it is created. */
  resumesOnVisit: boolean;
  /** Since when its services are being restarted; null while they are not. */
  resettingSince: number | null;
  /** Why the last start failed, for whoever waited for it. */
  failure: StartFailure | null;
}

export interface StartFailure {
  refusal: Refusal;
  at: number;
  /** Somebody stopped the sandbox while it started; nothing stands in the way of another start. */
  isCalledOff: boolean;
}

/** How long a start may take, clone and setup included, before it is given up. */
export const startDeadlineMs = 10 * 60_000;

export const absentSandbox: Sandbox = {
  state: "absent",
  generation: 0,
  owner: null,
  secret: "",
  archiveKey: null,
  turnId: null,
  lastUsedAt: 0,
  runningSince: null,
  resumesOnVisit: true,
  resettingSince: null,
  failure: null,
};

export type SandboxDecision<Answer> = Decision<Sandbox, Answer, SandboxEffect>;

export interface WakeCommand {
  owner: SandboxOwner;
  secret: string;
  /** For a sandbox that is created by this. */
  resumesOnVisit: boolean;
}

/** Asks for a running sandbox: answers what it takes, and begins a start when none is under way. */
export function wake(sandbox: Sandbox, command: WakeCommand, now: number): SandboxDecision<"running" | "starting"> {
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
      const { owner, secret } = command;
      const resumesOnVisit = sandbox.generation === 0 ? command.resumesOnVisit : sandbox.resumesOnVisit;
      const begun = { state, generation, owner, secret, resumesOnVisit, lastUsedAt: now, failure: null } as const;
      return decided({ ...sandbox, ...begun }, "starting", [
        { type: "remind", name: "start-overdue", at: now + startDeadlineMs },
        { type: "start", generation },
      ]);
    }
  }
}

/** The start of a generation came to its end: the sandbox runs. */
export function started(sandbox: Sandbox, generation: number, now: number): SandboxDecision<{ isCurrent: boolean }> {
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  return decided({ ...sandbox, state: "running", lastUsedAt: now, runningSince: now }, { isCurrent: true }, [
    { type: "forget", name: "start-overdue" },
    { type: "remind", name: "idle", at: now + idleBeforePauseMs },
  ]);
}

/** The start of a generation failed, or took too long; what was there before it can be started again. */
export function startFailed(
  sandbox: Sandbox,
  generation: number,
  refusal: Refusal,
  now: number,
): SandboxDecision<{ isCurrent: boolean }> {
  if (!isStarting(sandbox) || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  const failure = { refusal, at: now, isCalledOff: false };
  return decided({ ...asleep(sandbox), failure }, { isCurrent: true }, [
    { type: "forget", name: "start-overdue" },
    { type: "end", generation },
  ]);
}

/** A running sandbox was found stopped, or is to be discarded with all that was not saved. */
export function lost(sandbox: Sandbox, generation: number): SandboxDecision<{ isCurrent: boolean }> {
  if (sandbox.state !== "running" || sandbox.generation !== generation) return decided(sandbox, { isCurrent: false });
  return decided(asleep(sandbox), { isCurrent: true }, [
    { type: "forget", name: "idle" },
    { type: "end", generation },
  ]);
}

/** A use is written down at most this often: a page asks for many things at once. The idle time is longer by as much, so that none is cut short. */
export const useNotedEveryMs = 1_000;

/** Somebody uses the sandbox: the idle time counts from here. */
export function touch(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (now - sandbox.lastUsedAt < useNotedEveryMs) return decided(sandbox, null);
  return decided({ ...sandbox, lastUsedAt: now }, null);
}

/** A turn takes hold of the sandbox. */
export function occupy(sandbox: Sandbox, turnId: string, now: number): SandboxDecision<null> {
  return decided({ ...sandbox, turnId, lastUsedAt: now }, null);
}

/** Somebody changed the work by hand: it is saved behind the change. */
export function changed(sandbox: Sandbox, now: number): SandboxDecision<null> {
  const effects: SandboxEffect[] =
    sandbox.state === "running" ? [{ type: "save", generation: sandbox.generation }] : [];
  return decided({ ...sandbox, lastUsedAt: now }, null, effects);
}

/** A turn is over: its work is saved behind it, and the idle time counts from here. */
export function release(sandbox: Sandbox, turnId: string, now: number): SandboxDecision<null> {
  if (sandbox.turnId !== turnId) return decided(sandbox, null);
  const effects: SandboxEffect[] =
    sandbox.state === "running" ? [{ type: "save", generation: sandbox.generation }] : [];
  return decided({ ...sandbox, turnId: null, lastUsedAt: now }, null, effects);
}

/** The sandbox's work is safe under this key. */
export function saved(
  sandbox: Sandbox,
  command: { generation: number; archiveKey: string },
): SandboxDecision<{ replaced: string | null }> {
  const isUnwanted = sandbox.generation !== command.generation || sandbox.state === "gone";
  if (isUnwanted) return decided(sandbox, { replaced: command.archiveKey });
  const replaced = sandbox.archiveKey === command.archiveKey ? null : sandbox.archiveKey;
  // A save may be done only after its sandbox was lost; there is something to resume then.
  const state = sandbox.state === "absent" ? "paused" : sandbox.state;
  return decided({ ...sandbox, state, archiveKey: command.archiveKey }, { replaced });
}

export function isStarting(sandbox: Sandbox): boolean {
  return sandbox.state === "creating" || sandbox.state === "resuming";
}

/** Where a sandbox that stopped can be started from: its saved work, or nothing. */
export function asleep(sandbox: Sandbox): Sandbox {
  const state = sandbox.archiveKey === null ? "absent" : "paused";
  return { ...sandbox, state, turnId: null, runningSince: null, resettingSince: null };
}

/** `s` or `m` (session, main) plus lower-case letters and digits (decisions, "Chat sessions"). */
export function sandboxKey(kind: "session" | "main", name: string): string {
  if (name.length !== sandboxKeyCharacters)
    throw new RangeError(`A sandbox key takes ${sandboxKeyCharacters} characters.`);
  return `${kind === "session" ? "s" : "m"}${name}`;
}
