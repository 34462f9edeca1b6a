// The container of a sandbox, by the generation in which it started: which one a start goes to, and
// which one is ended.

import { growingPause } from "../../rules/backoff.ts";
import { decided } from "../../rules/decision.ts";
import type { SandboxEffect } from "../../rules/effect.ts";
import type { Sandbox, SandboxDecision } from "./lifecycle.ts";

/**
 * The start of this generation goes to a container of its own. One of before is ended beside it, so
 * that the start never waits for that.
 */
export function inNewContainer<Answer>(
  sandbox: Sandbox,
  answer: Answer,
  effects: SandboxEffect[],
): SandboxDecision<Answer> {
  const { generation, containerGeneration: left } = sandbox;
  const moved = { ...sandbox, containerGeneration: generation };
  if (left === 0 || left === generation) return decided(moved, answer, effects);
  return decided(moved, answer, [...effects, { type: "leave-container", generation, left }]);
}

/** A spare that was taken over cannot be used as it is: its start goes on in a new container. */
export function begunAnew(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  const isStarting = sandbox.state === "creating" || sandbox.state === "resuming";
  if (!isStarting || sandbox.generation !== generation) return decided(sandbox, null);
  return inNewContainer(sandbox, null, []);
}

/**
 * True while the container that started in this generation is that of the sandbox. Any other is to
 * be ended.
 */
export function isContainerWanted({ state, containerGeneration }: Sandbox, asked: number | null): boolean {
  return containerGeneration === asked && !["absent", "paused", "gone"].includes(state);
}

// Starts that are tried again: which failures pass, how often, and when. Each start comes back at a
// time of its own.

/**
 * A start that broke for no known reason is tried this often: most of what breaks one passes, as a
 * database that is away for a moment.
 */
export const startAttempts = 3;

/** The platform's words for it. It gives no other sign. */
const wantOfRoom = /no container instance that can be provided|too many containers per second/i;

const pauses = { firstMs: 1_000, longestMs: 15_000 };

/** True if a start failed because the platform has no room at the moment. */
export function lacksRoom(reason: string): boolean {
  return wantOfRoom.test(reason);
}

/**
 * The words of a local runtime, which gives up a container that a busy engine has not begun within
 * seconds.
 */
const notBegun = /container failed to start/i;

/** True if a container was not begun in time, and may be begun when it is asked for again. */
export function isNotBegun(reason: string): boolean {
  return notBegun.test(reason);
}

/**
 * How long a start waits before it is tried again, in milliseconds. Half of the pause is drawn, so
 * that many that were refused together do not come back together. `attempt` counts from 1; `drawn`
 * is from 0 up to 1.
 */
export function pauseBeforeRetry(attempt: number, drawn: number): number {
  const pause = growingPause(attempt, pauses);
  return pause / 2 + (pause / 2) * drawn;
}
