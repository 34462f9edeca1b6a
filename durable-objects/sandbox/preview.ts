// Wakes a sandbox for its preview, and forwards preview requests to it. A wake returns soon,
// whatever state the sandbox is in.

import { waitAtMost } from "../../src/lib/timeout.ts";
import { forwardToPort, isUnreachable, previewGrantHeader } from "../../src/preview/host/forward.ts";
import { relaySocket } from "../../src/preview/host/socket.ts";
import { isGrantValid } from "../../src/preview/queries/grants.ts";
import { getUnavailableReason, type PreviewUnavailable } from "../../src/preview/rules/preview.ts";
import { findUnreportedFailure } from "../../src/preview/rules/wake-on-visit.ts";
import { sandboxHeldWaitMs } from "../../src/rules/limits.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { findStartFailure, isStarting, recordView, type Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { SandboxContext } from "./context.ts";
import { getPausingMs, pauseSettled, wakeAfterPause } from "./lifecycle.ts";
import { isLost } from "./main-sandbox.ts";
import { startRefusal } from "./program-calls.ts";
import type { PreviewWake } from "./rpc.ts";
import { probeSandbox } from "./status.ts";

/**
 * How long a preview read waits for a new sandbox. After that, the health shows when it is ready.
 */
const createWaitMs = 30_000;

/**
 * A preview read responds within two seconds, so it waits only this long for a pause that is nearly
 * done.
 */
const pauseEndWaitMs = 500;

/**
 * Wakes the sandbox for a preview. Waits for a new sandbox. A paused one resumes after the
 * response, and one that is being paused resumes after its pause.
 */
export async function wakeForPreview(context: SandboxContext, owner: SandboxOwner): Promise<PreviewWake> {
  const { calls, shell } = context;
  // If the host cannot say whether the sandbox runs, the stored state counts.
  await probeSandbox(context).catch(() => undefined);
  await pauseSettled(context, pauseEndWaitMs);
  if (isPausing(calls.sandbox())) {
    void wakeAfterPause(context, owner);
    return getPausingMs(context) > sandboxHeldWaitMs ? "held" : "starting";
  }
  if (owner.type === "main" && (await isLost(context))) return "lost";
  const failure = findUnreportedFailure(calls.sandbox(), Date.now());
  if (failure) return failure;
  const woken = calls.wake(owner);
  // Who reads an address has not looked yet. A visit could not wake this sandbox again.
  if (!calls.sandbox().resumesOnVisit) shell.decide(recordView);
  if (woken !== "starting" || !isCreated(calls.sandbox())) return woken;
  await waitAtMost(calls.startSettled(), createWaitMs);
  const sandbox = calls.sandbox();
  if (sandbox.state === "running") return "running";
  return isStarting(sandbox) ? "starting" : (findStartFailure(sandbox)?.refusal ?? startRefusal);
}

/** True while a session's sandbox is being created, from scratch or from a spare. */
const isCreated = (sandbox: Sandbox) =>
  isStarting(sandbox) && (sandbox.state === "creating" || sandbox.spareBranch !== null);

const isPausing = ({ state }: Sandbox) => state === "pausing";

/**
 * Why no service accepted a preview request. A visit that the owner allows may wake the sandbox.
 */
export async function explainUnreachable(
  context: SandboxContext,
  visited: SandboxOwner | null,
): Promise<PreviewUnavailable> {
  const { calls, shell } = context;
  await probeSandbox(context).catch(() => undefined);
  // Only a Deploy brings back a lost main sandbox.
  const wakes = visited !== null && !(visited.type === "main" && (await isLost(context)));
  const trouble = wakes ? calls.visit(visited) : null;
  if (trouble === "starting") shell.decide(recordView);
  return trouble === null || isRefusal(trouble) ? getUnavailableReason(calls.sandbox().state) : trouble;
}

/** Forwards a preview request to its port. It counts as use of the sandbox. */
export async function forwardVisit(context: SandboxContext, request: Request): Promise<Response> {
  const { env, calls, shell, relayLimits } = context;
  const answer = await forwardToPort(calls.driver, calls.sandbox(), request);
  // A request that no service accepted does not count as use, because a page that keeps retrying
  // must not keep the sandbox awake.
  if (isUnreachable(answer)) return answer;
  const used = () => void shell.decide(recordView);
  used();
  const grant = request.headers.get(previewGrantHeader);
  return relaySocket(answer, {
    limits: relayLimits,
    onUse: used,
    async mayStay() {
      const { owner } = calls.sandbox();
      if (grant === null || owner === null) return false;
      return await isGrantValid(env.DB, JSON.parse(grant), owner.workspaceId, Date.now());
    },
  });
}
