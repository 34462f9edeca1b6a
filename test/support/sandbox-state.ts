// The state of a sandbox for tests of its rules: a sandbox in its second generation, with the
// changes of a test.

import {
  type Sandbox,
  type SandboxHolder,
  type SandboxLifeState,
  type Started,
  sandboxStates,
} from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { protocolVersion } from "../../src/sandbox/rules/program-version.ts";
import { absentRow, fromStored, type StoredSandbox, toStored } from "../../src/sandbox/rules/row.ts";
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

/** The process of a sandbox that runs. */
const process = { bootId: "boot-1", program: "present", protocol: protocolVersion };

/** The outcome of a start. */
export const createStart = (generation: number, isPrebuildWorthwhile = false): Started => ({
  generation,
  isPrebuildWorthwhile,
  ...process,
});

/** A sandbox in its second generation, in a given state. */
export function sandbox(state: SandboxLifeState, changes: Partial<StoredSandbox> = {}): Sandbox {
  const archiveKey = state === "paused" || state === "resuming" || state === "running" ? "work-1" : null;
  const record = { generation: 2, owner, secret: "secret", archiveKey, lastUsedAt: used };
  return fromStored({ ...absentRow, ...process, runningSince: used, state, ...record, ...changes });
}

/** The same sandbox with changes to its row. */
export function changedTo(before: Sandbox, changes: Partial<StoredSandbox>): Sandbox {
  const { bootId, program, protocol, runningSince, ...row } = toStored(before);
  const own = {
    bootId: bootId ?? process.bootId,
    program: program ?? process.program,
    protocol: protocol ?? process.protocol,
    runningSince: runningSince ?? used,
  };
  return fromStored({ ...row, ...own, ...changes });
}

export const statesBut = (...left: SandboxLifeState[]) => sandboxStates.filter((state) => !left.includes(state));
