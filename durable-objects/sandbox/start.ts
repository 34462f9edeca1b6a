// Bringing a sandbox up: a slot, a process, its saved work or a checkout, and the project's
// services. Every step is safe to repeat.

import { codeHost } from "../../src/code-host/code-host.ts";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/lib/error-text.ts";
import { isDoneWithin } from "../../src/lib/timeout.ts";
import { allowedHostVariables } from "../../src/preview/rules/allowed-hosts.ts";
import { findProject, type Project } from "../../src/project/queries.ts";
import type { ProjectSettings, StoredValue } from "../../src/project/rules/settings.ts";
import { openSettings, sealSettings } from "../../src/project/settings.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { claimSlotAnew } from "../../src/sandbox/claim-slot.ts";
import { type ProgramClient, programClient } from "../../src/sandbox/program/client.ts";
import type { SandboxDriver } from "../../src/sandbox/program/driver.ts";
import type { ProgramAnswer } from "../../src/sandbox/program/response.ts";
import { markSlot } from "../../src/sandbox/queries/slots.ts";
import { lacksRoom, pauseBeforeRetry } from "../../src/sandbox/rules/container.ts";
import type { Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import { type SandboxOwner, turnOwnerOf } from "../../src/sandbox/rules/owner.ts";
import { isUnderstood } from "../../src/sandbox/rules/program-version.ts";
import type { CheckedOut, Checkout, ProgramRefusal, ProgramStatus } from "../../src/sandbox-protocol/protocol.ts";
import { refuseSandbox } from "../../src/workspace/rules/billing-plan.ts";
import { projectObject, turnOwnerObject } from "../address.ts";
import { type BaseWanted, beginWithBase, giveUpBase, makeBase, makeOwnBase, replaceMovedBase } from "./prebuild.ts";
import { restoreSandboxWork } from "./saved-work.ts";
import { checkoutWanted, wantedSettings } from "./settings.ts";

/** A fetch takes about as long. */
const newestWaitMs = 1_000;

export interface BringUp {
  key: string;
  sandbox: Sandbox & { owner: SandboxOwner };
  driver: SandboxDriver;
  /** Aborted once the start is given up; no further step begins after that. */
  signal: AbortSignal;
  /** Has the driver go to a new container, if the sandbox has one of a spare's. */
  beginAnew(): void;
}

/** A sandbox that is up. */
export interface BroughtUp {
  /** True where a base would have saved time. */
  paysABase: boolean;
  /**
   * How long it took to move a base of an earlier commit on, with its setup; null where none was.
   */
  baseMovedMs: number | null;
  /** The setup command that failed, with the end of its output, where an agent is to mend it. */
  setupFailure: string | null;
  /** The process of the program; null for one that does not tell it. */
  bootId: string | null;
  /** The build of the program, and the version of the protocol that it speaks. */
  program: string | null;
  protocol: number;
  /** What it was brought up with, sealed. */
  settings: ProjectSettings<StoredValue>;
}

/** Saved work that cannot be restored. */
export interface Unrestorable {
  unrestorable: Refusal;
}

/** Brings a sandbox up, or answers why it cannot be done; throws whatever broke. */
export async function bringUpSandbox(
  env: Env,
  { key, sandbox, driver, signal, beginAnew }: BringUp,
): Promise<BroughtUp | Unrestorable | Refusal> {
  const { owner, generation } = sandbox;
  do {
    const limit = await claimSlotAnew(env, key, owner);
    if (limit !== null) return refuseSandbox(limit);
    signal.throwIfAborted();
    // Until it is marked, a claimed slot may be released: no start followed, or the sandbox that
    // ran in it was lost. Then it is claimed again.
  } while (!(await markSlot(env.DB, key, "starting")));
  const project = await findProject(env.DB, owner.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const anyProgram = programClient(driver, { secret: sandbox.secret }, signal);
  const startAnew = () => start(driver, anyProgram, { secret: sandbox.secret, signal, beginAnew });
  const { spareBranch } = sandbox;
  const newestKnown = spareBranch === null ? undefined : newestCommit(env, project, owner.baseBranch);
  const running = await statusOf(anyProgram);
  const settings = await wantedSettings(env, { key, owner }, project);
  const wanted = await checkoutWanted(env, { key, owner, generation }, settings);
  const newest = await newestKnown;
  const adopted = running && spareBranch !== null ? await adopt(anyProgram, { ...wanted, spareBranch, newest }) : null;
  const isTakenUp = running !== null && (adopted !== null || spareBranch === null);
  const status = isTakenUp ? running : await startAnew();
  const bootId = status.bootId ?? null;
  // From here on a program that comes back without what this start puts there is not taken for it.
  const program = programClient(driver, { secret: sandbox.secret, bootId }, signal);
  const isNew = adopted !== null || (!status.checkedOut && sandbox.archiveKey === null);
  const from = { project, programVersion: status.programVersion, checkout: wanted };
  const filled = status.checkedOut ? null : await fillEmpty(env, program, { key, sandbox, from });
  if (isRefusal(filled)) return { unrestorable: filled };
  const checkout = adopted ? { ok: true as const, value: adopted } : await program.checkout(wanted);
  const unmoved = whyUnmoved(checkout);
  if (filled !== null && unmoved !== null) await giveUpBase(env, { sandboxKey: key, id: filled, reason: unmoved });
  if (!checkout.ok) {
    const isSetup = checkout.refusal.code === "SETUP_FAILED";
    return cannot(isSetup ? "The setup failed" : "The repository could not be checked out", checkout.refusal);
  }
  const { head, paysABase, baseMovedMs = null, setupFailure = null } = checkout.value;
  if (isNew && head !== null) await reportCheckout(env, owner, head);
  const isRestored = !isNew && !status.checkedOut;
  if (owner.type === "main" && isRestored) await followAtWake(env, program, { key, projectId: project.id, wanted });
  const makesOwnBase = owner.type === "main" && paysABase;
  const { programVersion } = status;
  if (makesOwnBase)
    await makeOwnBase(env, program, { key, head, wanted: { project, programVersion, checkout: wanted } });
  const services = await program.services({
    services: settings.services,
    env: settings.env,
    // The services of a spare run from the commit that it was made with.
    restart: adopted?.moved === true,
    hostEnv: allowedHostVariables(env.PREVIEW_DOMAIN),
  });
  if (!services.ok) return cannot("The services could not be started", services.refusal);
  signal.throwIfAborted();
  // Marked before the owner learns that it runs: else a crash would leave a running sandbox listed
  // as starting.
  await markSlot(env.DB, key, "running");
  const sealed = await sealSettings(env.SEALING_KEYS, { id: project.id, settings });
  return {
    ...{ paysABase: paysABase && !makesOwnBase, baseMovedMs, setupFailure, bootId, settings: sealed.settings },
    // One that runs already was started when the sandbox was woken, by an earlier version of the
    // service perhaps.
    program: isTakenUp ? sandbox.program : env.SANDBOX_PROGRAM,
    protocol: status.protocolVersion,
  };
}

/**
 * The code host's newest commit of a branch; undefined if the code host does not say so soon. Then
 * the checkout asks by git.
 */
async function newestCommit(env: Env, project: Project, branch: string): Promise<string | undefined> {
  let newest: string | undefined;
  const asked = codeHost(env, project)
    .readBranchHead(project.repository, branch)
    .then((head) => {
      newest = isRefusal(head) ? undefined : head;
    });
  await isDoneWithin(asked, newestWaitMs, "the newest commit is not known");
  return newest;
}

/**
 * Makes the checkout of a running spare that of its session; null where that cannot be done, and
 * the sandbox has to begin anew.
 */
async function adopt(program: ProgramClient, wanted: Checkout): Promise<CheckedOut | null> {
  try {
    const adopted = await program.checkout(wanted);
    if (adopted.ok) return adopted.value;
    console.error("a spare cannot be adopted", adopted.refusal.code, adopted.refusal.message);
  } catch (error) {
    console.error("a spare cannot be adopted", reasonOf(error));
  }
  return null;
}

/**
 * A main sandbox that slept moves on with the Target Branch before its services start. Its project
 * hears what came of it.
 */
async function followAtWake(
  env: Env,
  program: ProgramClient,
  { key, projectId, wanted }: { key: string; projectId: string; wanted: Checkout },
): Promise<void> {
  try {
    const outcome = await program.followBase(wanted);
    const reason = outcome.ok ? (outcome.value.setupFailure ?? null) : outcome.refusal.message;
    await projectObject(env, projectId).noteFollowed({ sandboxKey: key, reason });
  } catch (error) {
    console.error("a checkout did not follow its branch", key, reasonOf(error));
  }
}

/**
 * Restores the saved work of an empty sandbox, or lets it begin with a base. Answers that base, or
 * why work cannot be restored.
 */
async function fillEmpty(
  env: Env,
  program: ProgramClient,
  { key, sandbox, from }: Pick<BringUp, "key" | "sandbox"> & { from: BaseWanted },
): Promise<string | Refusal | null> {
  const { archiveKey, owner } = sandbox;
  const { projectId } = owner;
  if (archiveKey !== null) return await restoreSandboxWork(env, program, { projectId, workKey: archiveKey });
  return owner.isFresh ? null : await beginWithBase(env, program, key, from);
}

/**
 * Why a base was of no use to a checkout; null if it was, or if there was none. A setup that fails
 * may fail because of what the base holds, or hang with it until no time is left to do it anew.
 */
function whyUnmoved(checkout: ProgramAnswer<CheckedOut>): string | null {
  if (checkout.ok) return checkout.value.baseUnmoved ?? null;
  return checkout.refusal.code === "SETUP_FAILED" ? "the setup failed" : null;
}

/**
 * Makes the base that a sandbox went without, or that of the commit to which it moved one on in
 * `movedMs`.
 */
export async function makeBaseFor(
  env: Env,
  { key, sandbox, driver }: Omit<BringUp, "signal" | "beginAnew">,
  movedMs: number | null,
): Promise<void> {
  const { owner, generation } = sandbox;
  const project = await findProject(env.DB, owner.projectId);
  const status = await programClient(driver, sandbox).status();
  if (!project || !status.ok) return;
  const settings = await openSettings(env.SEALING_KEYS, project);
  const checkout = await checkoutWanted(env, { key, owner, generation }, settings);
  const wanted = { project, programVersion: status.value.programVersion, checkout };
  if (movedMs === null) await makeBase(env, wanted);
  else await replaceMovedBase(env, { sandboxKey: key, tookMs: movedMs, wanted });
}

/**
 * Reports the first commit of the branch to the owner of the turns. If that fails, the next turn
 * reports it.
 */
async function reportCheckout(env: Env, sandboxOwner: SandboxOwner, targetCommit: string): Promise<void> {
  const owner = turnOwnerOf(sandboxOwner);
  if (owner === null) return;
  await turnOwnerObject(env, owner)
    .handleEvent({ type: "checkout", targetCommit })
    .catch((error: unknown) => console.error("a new checkout was not reported", owner.id, reasonOf(error)));
}

/**
 * Starts the program. Its disk is empty, unless a host on one machine was killed and left a
 * checkout: that checkout is the newest.
 */
async function start(
  driver: SandboxDriver,
  program: ProgramClient,
  { secret, signal, beginAnew }: Pick<BringUp, "signal" | "beginAnew"> & { secret: string },
): Promise<ProgramStatus> {
  signal.throwIfAborted();
  beginAnew();
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    await driver.stop();
    await startWhereThereIsRoom(driver, secret, signal);
    const status = await program.status();
    if (!status.ok) throw new Error(`the sandbox answered ${status.refusal.code} to its first call`);
    if (isUnderstood(status.value.protocolVersion)) return status.value;
    if (attempt === imageAttempts) {
      await driver.stop();
      throw new EarlierImage(status.value.protocolVersion);
    }
    await scheduler.wait(pauseBeforeRetry(attempt, Math.random()), { signal });
  }
}

/**
 * While the platform rolls a new image out, it may start a few more sandboxes from the one before.
 */
const imageAttempts = 3;

/** The program that starts is not of this service's time. */
export class EarlierImage extends Error {
  constructor(protocol: number) {
    super(`the program that started speaks version ${protocol} of the protocol, which is not understood here`);
  }
}

/** Tries again while the platform has no room, until the start is given up. */
async function startWhereThereIsRoom(driver: SandboxDriver, secret: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await driver.start(secret);
    } catch (error) {
      if (!lacksRoom(reasonOf(error))) throw error;
      console.error("no room for a sandbox", attempt, reasonOf(error));
    }
    await scheduler.wait(pauseBeforeRetry(attempt, Math.random()), { signal });
  }
}

/**
 * The status of a program that already runs, as after an interrupted start; null if none does that
 * is understood.
 */
async function statusOf(program: ProgramClient): Promise<ProgramStatus | null> {
  try {
    const status = await program.status();
    return status.ok && isUnderstood(status.value.protocolVersion) ? status.value : null;
  } catch {
    return null;
  }
}

function cannot(what: string, { message }: ProgramRefusal): Refusal {
  return refuse("SERVICE_UNAVAILABLE", `${what}: ${message}`);
}
