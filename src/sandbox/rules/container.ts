// The container of a sandbox, by the generation in which it started: which container a start uses,
// and which one is ended.

import { getBackoffMs } from "../../rules/backoff.ts";
import { decided } from "../../rules/decision.ts";
import type { SandboxEffect } from "../../rules/effect.ts";
import type { Sandbox, SandboxDecision } from "./lifecycle.ts";

/**
 * Gives the start of this generation its own container. An earlier container is ended concurrently,
 * so that the start never waits for it.
 */
export function withNewContainer<Result>(
  sandbox: Sandbox,
  result: Result,
  effects: SandboxEffect[],
): SandboxDecision<Result> {
  const { generation, containerGeneration: left } = sandbox;
  const moved = { ...sandbox, containerGeneration: generation };
  if (left === 0 || left === generation) return decided(moved, result, effects);
  return decided(moved, result, [...effects, { type: "leave-container", id: generation, left }]);
}

/** A claimed spare cannot be used as it is, so its start continues in a new container. */
export function startInNewContainer(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  const isStarting = sandbox.state === "creating" || sandbox.state === "resuming";
  if (!isStarting || sandbox.generation !== generation) return decided(sandbox, null);
  return withNewContainer(sandbox, null, []);
}

/**
 * True if the container that started in this generation belongs to the sandbox. Any other container
 * is to be ended.
 */
export function isContainerWanted(
  { state, containerGeneration }: Pick<Sandbox, "state" | "containerGeneration">,
  asked: number | null,
): boolean {
  return containerGeneration === asked && !["absent", "paused", "gone"].includes(state);
}

/**
 * The number of attempts after an unknown failure. Most such failures are transient, such as a
 * database that is briefly unavailable.
 */
export const startAttempts = 3;

/** The platform's error messages for a lack of room. It gives no other sign. */
const wantOfRoom = /no container instance that can be provided|too many containers per second/i;

const pauses = { firstMs: 1_000, longestMs: 15_000 };

/** True if a start failed because the platform has no room at the moment. */
export function isOutOfRoom(reason: string): boolean {
  return wantOfRoom.test(reason);
}

/**
 * The error message of a local runtime that abandons a container which a busy engine did not start
 * within seconds, and that of a runtime which no longer knows why a container ended.
 */
const notStarted = /container failed to start|monitor\(\) cannot be called on a container that is not running/i;

/** True if a container did not start in time, and may start when it is requested again. */
export function isNotStarted(reason: string): boolean {
  return notStarted.test(reason);
}

/**
 * The delay before a start is retried, in milliseconds. Half of it is random, so that starts that
 * were refused together do not retry together. `attempt` counts from 1; `drawn` is from 0 up to 1.
 */
export function getStartRetryDelayMs(attempt: number, drawn: number): number {
  const pause = getBackoffMs(attempt, pauses);
  return pause / 2 + (pause / 2) * drawn;
}
