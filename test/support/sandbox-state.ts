// A sandbox's state for tests of its rules: one in its second generation, changed where a test says so.
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import {
  absentSandbox,
  type Sandbox,
  type SandboxHolder,
  type SandboxLifeState,
  sandboxStates,
} from "../../src/rules/sandbox/sandbox.ts";
import { now } from "./session-state.ts";

export const owner: SandboxOwner = {
  type: "session",
  id: "session-1",
  workspaceId: "ws_1",
  projectId: "project-1",
  branch: "svc/fix-abcdef",
  baseBranch: "main",
};

/** The turn of that name, which holds a sandbox. */
export const holder = (turnId: string): SandboxHolder => ({ turnId, owner: { type: "session", id: owner.id } });

/** A wake, with the secret that the test knows. */
export const command = { owner, secret: "new secret", resumesOnVisit: true };
export const used = now - 5 * 60_000;

/** A sandbox in its second generation, as it is in each state. */
export function sandbox(state: SandboxLifeState, changes: Partial<Sandbox> = {}): Sandbox {
  const archiveKey = state === "paused" || state === "resuming" || state === "running" ? "work-1" : null;
  return { ...absentSandbox, state, generation: 2, owner, secret: "secret", archiveKey, lastUsedAt: used, ...changes };
}

export const statesBut = (...left: SandboxLifeState[]) => sandboxStates.filter((state) => !left.includes(state));
