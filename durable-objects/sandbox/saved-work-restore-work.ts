// Restores saved work: first the work, then the base under it. Missing or broken work is reported, never replaced by a fresh checkout.
import type { Env } from "../../src/env.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { ProgramClient } from "../../src/sandbox/program/client.ts";
import { baseLayerKey } from "../../src/storage/archives.ts";

/** Restores the work of an empty sandbox. Answers null, or why it cannot. */
export async function restoreSandboxWork(
  env: Env,
  program: ProgramClient,
  { projectId, workKey }: { projectId: string; workKey: string },
): Promise<Refusal | null> {
  const work = await env.STORE.get(workKey);
  if (!work) return missing("The saved work of this sandbox is missing from storage.");
  const restored = await program.restoreWork(work.body);
  if (!restored.ok) return unrestored(restored.refusal.message);
  const { baseId } = restored.value;
  if (baseId === null) return null;
  const base = await env.STORE.get(baseLayerKey(projectId, baseId));
  if (!base) return missing("What the saved work of this sandbox stands on is missing from storage.");
  const completed = await program.restoreBase(base.body, { beneathWork: true });
  return completed.ok ? null : unrestored(completed.refusal.message);
}

const missing = (what: string) => refuse("SERVICE_UNAVAILABLE", `${what} Contact support.`);
const unrestored = (reason: string) =>
  refuse("SERVICE_UNAVAILABLE", `The saved work of this sandbox could not be restored: ${reason}`);
