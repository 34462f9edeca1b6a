// The container of a sandbox, by the generation in which it started: which one a start goes to, and which one is ended.
import { decided } from "../../rules/decision.ts";
import type { SandboxEffect } from "../../rules/effect.ts";
import type { Sandbox, SandboxDecision } from "./lifecycle.ts";

/** The start of this generation goes to a container of its own. One of before is ended beside it, so that the start never waits for that. */
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

/** True while the container that started in this generation is that of the sandbox. Any other is to be ended. */
export function isContainerWanted({ state, containerGeneration }: Sandbox, asked: number | null): boolean {
  return containerGeneration === asked && !["absent", "paused", "gone"].includes(state);
}
