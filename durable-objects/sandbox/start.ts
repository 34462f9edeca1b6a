// Brings a sandbox up: a slot, a process, its saved work or a checkout, and the project's services.
// Every step is safe to repeat.

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

/** About as long as a fetch takes. */
const newestWaitMs = 1_000;

export interface BringUp {
  key: string;
  sandbox: Sandbox & { owner: SandboxOwner };
  driver: SandboxDriver;
  /** Aborted if the start is abandoned; no further step starts after that. */
  signal: AbortSignal;
  /** Makes the driver use a new container, if the sandbox has the container of a spare. */
  beginAnew(): void;
}

/** A sandbox that is up. */
export interface BroughtUp {
  /** True if a base would have saved time. */
  paysABase: boolean;
  /**
   * How long it took to update a base of an earlier commit, including its setup; null if none was
   * updated.
   */
  baseMovedMs: number | null;
  /** The setup command that failed, with the end of its output, if an agent is to fix it. */
  setupFailure: string | null;
  /** The process of the program; null if the program does not report it. */
  bootId: string | null;
  /** The build of the program, and the version of the protocol that it speaks. */
  program: string | null;
  protocol: number;
  /** The settings that it was brought up with, sealed. */
  settings: ProjectSettings<StoredValue>;
}

/** Saved work that cannot be restored. */
export interface Unrestorable {
  unrestorable: Refusal;
}

/** Brings a sandbox up, or returns why that is not possible. Unexpected errors are thrown. */
export async function bringUpSandbox(
  env: Env,
  { key, sandbox, driver, signal, beginAnew }: BringUp,
): Promise<BroughtUp | Unrestorable | Refusal> {
  const { owner, generation } = sandbox;
  do {
    const limit = await claimSlotAnew(env, key, owner);
    if (limit !== null) return refuseSandbox(limit);
    signal.throwIfAborted();
    // Until it is marked, a claimed slot may be released, either because no start followed or
    // because the sandbox that ran in it was lost. It is then claimed again.
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
  // From here on the client accepts only this process, because a restarted program would lack what
  // this start puts there.
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
  // Marked before the owner learns that the sandbox runs. Otherwise a crash would leave a running
  // sandbox listed as starting.
  await markSlot(env.DB, key, "running");
  const sealed = await sealSettings(env.SEALING_KEYS, { id: project.id, settings });
  return {
    ...{ paysABase: paysABase && !makesOwnBase, baseMovedMs, setupFailure, bootId, settings: sealed.settings },
    // A program that was already running was started at an earlier wake, perhaps by an earlier
    // version of the service.
    program: isTakenUp ? sandbox.program : env.SANDBOX_PROGRAM,
    protocol: status.protocolVersion,
  };
}

/**
 * The code host's newest commit of a branch; undefined if the code host does not respond soon. The
 * checkout then asks by git.
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
 * Turns the checkout of a running spare into that of its session. Returns null if that is not
 * possible, and the sandbox must start from scratch.
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
 * Updates a main sandbox that slept to the Target Branch before its services start, and reports the
 * outcome to its project.
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
 * Restores the saved work of an empty sandbox, or lets it start with a base. Returns the id of that
 * base, or why the work cannot be restored.
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
 * Why a base was of no use to a checkout; null if it was of use, or if there was none. A setup may
 * fail because of the base's contents. It may also hang because of them until no time is left to
 * run it from scratch.
 */
function whyUnmoved(checkout: ProgramAnswer<CheckedOut>): string | null {
  if (checkout.ok) return checkout.value.baseUnmoved ?? null;
  return checkout.refusal.code === "SETUP_FAILED" ? "the setup failed" : null;
}

/**
 * Makes the base that a sandbox started without, or the base of the commit to which the sandbox
 * updated an older one in `movedMs`.
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
 * Starts the program. Its disk is empty, unless a host on a single machine was killed and left a
 * checkout. That checkout is the newest.
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
 * The most attempts to get a current image. While the platform rolls out a new image, it may start
 * a few more sandboxes from the previous one.
 */
const imageAttempts = 3;

/** The started program is of an image that this service does not support. */
export class EarlierImage extends Error {
  constructor(protocol: number) {
    super(`the program that started speaks version ${protocol} of the protocol, which is not understood here`);
  }
}

/** Retries while the platform has no room, until the start is abandoned. */
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
 * The status of a program that already runs, for example after an interrupted start. Null if no
 * compatible program runs.
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
