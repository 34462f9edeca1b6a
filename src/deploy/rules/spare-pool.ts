// The warm pool of a project: spare sandboxes that belong to nobody, so that a new session starts
// immediately. A project that nobody uses has none.

import { decided } from "../../rules/decision.ts";
import { type PlanName, plans } from "../../workspace/rules/billing-plan.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import type { ProjectDecision, ProjectState } from "./project-state.ts";

/** Spares stay for this long after a Deploy, or after the last start of a session. */
export const poolWarmMs = 10 * 60_000;

/**
 * After this many consecutive failures no spare is created, until the settings, the commit or the
 * Deploy have changed.
 */
const spareFailuresMax = 2;

export interface Pool {
  /** Spares stay until this time, in milliseconds since the epoch; null before the first Deploy. */
  warmUntil: number | null;
  /** The number of consecutive spares that failed to start. */
  failures: number;
}

export const emptyPool: Pool = { warmUntil: null, failures: 0 };

/** The facts from outside the pool that it depends on. */
export interface PoolFacts {
  plan: PlanName;
  isLive: boolean;
  holdsSessionsUp: boolean;
  isBlockedOnBilling: boolean;
  /** True if the operator has suspended the workspace. */
  isSuspended: boolean;
  /** The setting `warmPool` of the project. */
  keepsSpares: boolean;
}

/** The number of spares that the project should have. */
export function countWantedSpares({ warmUntil, failures }: Pool, facts: PoolFacts, now: number): number {
  const isWarm = warmUntil !== null && now < warmUntil;
  const canStartSessions = facts.isLive && !facts.holdsSessionsUp && !facts.isBlockedOnBilling && !facts.isSuspended;
  return isWarm && canStartSessions && facts.keepsSpares && failures < spareFailuresMax
    ? plans[facts.plan].sparesPerProject
    : 0;
}

/** A spare that exists or is being created. */
export interface SpareFound {
  sandboxKey: string;
  state: "making" | "ready";
  /**
   * True if it was created with the current settings, Target Branch and sandbox program, at the
   * newest known commit, and if its sandbox runs once it is ready.
   */
  fits: boolean;
}

/** The work to be done for the pool. */
export interface PoolWork {
  ends: string[];
  /** Spares that were started and are not ready yet. */
  goesOn: string[];
  makes: number;
}

/** Selects as many spares as are wanted, ready ones first. The others end. */
export function planPool(spares: readonly SpareFound[], wanted: number): PoolWork {
  const fitting = spares.filter(({ fits }) => fits);
  const kept = fitting
    .toSorted((one, other) => Number(one.state === "making") - Number(other.state === "making"))
    .slice(0, wanted);
  return {
    ends: spares.filter((spare) => !kept.includes(spare)).map(({ sandboxKey }) => sandboxKey),
    goesOn: kept.filter(({ state }) => state === "making").map(({ sandboxKey }) => sandboxKey),
    makes: wanted - kept.length,
  };
}

/** Records the start of a session. A pool that was never filled by a Deploy stays empty. */
export function toWarmPool(pool: Pool, now: number): Pool {
  return pool.warmUntil === null ? pool : { ...pool, warmUntil: now + poolWarmMs };
}

/** The pool after a Deploy has gone live. */
export function createPoolAfterDeploy(now: number): Pool {
  return { warmUntil: now + poolWarmMs, failures: 0 };
}

/**
 * Resets the failures: the settings or the commit have changed, so a spare that failed before may
 * start now.
 */
export function resetFailures(pool: Pool): Pool {
  return { ...pool, failures: 0 };
}

/**
 * Handles the outcome of starting a spare: `problem` is the reason why it failed, or null. The
 * first spare after a Deploy is built from the settings only, so if it fails, sessions would fail
 * too.
 */
export function recordSpareTried(state: ProjectState, problem: string | null, now: number): ProjectDecision<null> {
  const { pool, deploy } = state;
  const failures = problem === null ? 0 : pool.failures + 1;
  const after = { ...state, pool: { ...pool, failures } };
  if (failures === spareFailuresMax) return decided(addServiceMessage(after, `${gaveUp}\n${problem}`, now), null);
  const isProof = failures === 1 && deploy?.status === "warming_pool";
  return decided(isProof ? addServiceMessage(after, `${unproven}\n${problem}`, now) : after, null);
}

const unproven =
  "A spare sandbox did not start with only the project's settings. Sessions lack what was set up by hand: add it to the settings.";
const gaveUp =
  "Spare sandboxes failed to start twice in a row. The service makes no more until the settings, the commit or the Deploy changes.";
