// The state of a sandbox for tests of its rules: a sandbox in its second generation, with the
// changes of a test.

import {
  type Sandbox,
  type SandboxHolder,
  type SandboxLifeState,
  sandboxStates,
} from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { absentRow, fromStored, type StoredSandbox, toStored } from "../../src/sandbox/rules/stored.ts";
import { now } from "./session-state.ts";

export const owner: SandboxOwner = {
  type: "session",
  id: "session-1",
  workspaceId: "ws_1",
  projectId: "project-1",
  branch: "svc/fix-abcdef",
  baseBranch: "main",
};

/** A turn that holds a sandbox. */
export const holder = (turnId: string): SandboxHolder => ({ turnId, owner: { type: "session", id: owner.id } });

/** A wake command with a known secret. */
export const command = { owner, secret: "new secret", program: "present", resumesOnVisit: true };
export const used = now - 5 * 60_000;

/** A sandbox in its second generation, in a given state. */
export function sandbox(state: SandboxLifeState, changes: Partial<StoredSandbox> = {}): Sandbox {
  const archiveKey = state === "paused" || state === "resuming" || state === "running" ? "work-1" : null;
  const record = { generation: 2, owner, secret: "secret", archiveKey, lastUsedAt: used };
  return fromStored({ ...absentRow, state, ...record, ...changes });
}

/** The same sandbox with changes to its row. */
export const changedTo = (before: Sandbox, changes: Partial<StoredSandbox>): Sandbox =>
  fromStored({ ...toStored(before), ...changes });

export const statesBut = (...left: SandboxLifeState[]) => sandboxStates.filter((state) => !left.includes(state));
