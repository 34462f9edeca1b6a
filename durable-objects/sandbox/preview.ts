// A sandbox for somebody who wants to see its preview: they are answered soon, whatever state it is in.

import { forwardToPort, wasUnreachable } from "../../src/preview/request.ts";
import { relaySocket } from "../../src/preview/socket.ts";
import { sandboxHeldWaitMs } from "../../src/rules/limits.ts";
import { type PreviewUnavailable, unavailableFor } from "../../src/rules/preview/preview.ts";
import { unreportedFailure } from "../../src/rules/preview/visit.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import { pauseDeadlineMs } from "../../src/rules/sandbox/pause.ts";
import { isStarting, type Sandbox, touch } from "../../src/rules/sandbox/sandbox.ts";
import { within } from "../object/timeout.ts";
import { type SandboxAccess, startRefusal } from "./access.ts";
import type { SandboxContext } from "./context.ts";
import type { PreviewWake } from "./rpc.ts";
import { probeSandbox } from "./status.ts";

/** A preview read waits this long for a sandbox that is created for it; afterwards health tells. */
const createWaitMs = 30_000;

/** A preview read, which answers within two seconds, waits so long for a pause that is about to be over. */
const pauseEndWaitMs = 500;
/** A pause that failed is tried again some time later. */
const lookAgainMs = 500;

/**
 * Wakes the sandbox for a preview. Waits while a missing one is created; a paused one comes back behind the answer, and one that is being
 * paused comes back behind its pause.
 */
export async function wakeForPreview(context: SandboxContext, owner: SandboxOwner): Promise<PreviewWake> {
  const { access } = context;
  // Where nobody can tell whether it runs, it is what it was.
  await probeSandbox(context).catch(() => undefined);
  await access.pauseSettled(pauseEndWaitMs);
  if (isPausing(access.sandbox())) {
    void wakeBehindPause(access, owner);
    const heldMs = Date.now() - (access.inFlight.heldSince ?? Date.now());
    return heldMs > sandboxHeldWaitMs ? "held" : "starting";
  }
  const untold = unreportedFailure(access.sandbox(), Date.now());
  if (untold) return untold;
  const woken = access.wake(owner);
  if (woken !== "starting" || access.sandbox().state !== "creating") return woken;
  await within(access.startSettled(), createWaitMs);
  const sandbox = access.sandbox();
  if (sandbox.state === "running") return "running";
  return isStarting(sandbox) ? "starting" : (sandbox.failure?.refusal ?? startRefusal);
}

/** Wakes it once its pause is over, unless it is retired meanwhile. A later life of the object does not know of it: it is asked again then. */
async function wakeBehindPause(access: SandboxAccess, owner: SandboxOwner): Promise<void> {
  const { inFlight } = access;
  const isWaitedFor = inFlight.wantedBehindPause !== null;
  inFlight.wantedBehindPause = owner;
  if (isWaitedFor) return;
  while (isPausing(access.sandbox())) {
    await access.pauseSettled(pauseDeadlineMs);
    if (isPausing(access.sandbox())) await scheduler.wait(lookAgainMs);
  }
  const wanted = inFlight.wantedBehindPause;
  inFlight.wantedBehindPause = null;
  if (wanted) access.wake(wanted);
}

const isPausing = ({ state }: Sandbox) => state === "pausing";

/** Why nothing took a preview request; a visit by leave of the owner may wake the sandbox. */
export async function missVisit(context: SandboxContext, visited: SandboxOwner | null): Promise<PreviewUnavailable> {
  const { access } = context;
  await probeSandbox(context).catch(() => undefined);
  const trouble = visited === null ? null : access.visit(visited);
  return trouble === null || isRefusal(trouble) ? unavailableFor(access.sandbox().state) : trouble;
}

/** Carries a preview request to its port, as a use of the sandbox. */
export async function carryVisit({ access, shell }: SandboxContext, request: Request): Promise<Response> {
  const answer = await forwardToPort(access.driver, request);
  // What nothing took is no use: a page that tries again and again keeps no sandbox awake.
  if (wasUnreachable(answer)) return answer;
  const used = () => void shell.decide(touch);
  used();
  return relaySocket(answer, used);
}
