// Finds the program of a sandbox that starts: the one that already runs, or one that boots in a
// container of its own.

import { createCodeHost } from "../../src/code-host/code-host.ts";
import type { Env } from "../../src/env.ts";
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { log } from "../../src/lib/log.ts";
import { isDoneWithin } from "../../src/lib/timeout.ts";
import { isSameNetwork, type NetworkInForce } from "../../src/network/rules/network.ts";
import type { Project } from "../../src/project/queries.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { createProgramClient, type ProgramClient } from "../../src/sandbox/program/client.ts";
import type { SandboxDriver } from "../../src/sandbox/program/driver.ts";
import { getStartRetryDelayMs, isOutOfRoom } from "../../src/sandbox/rules/container.ts";
import { isUnderstood } from "../../src/sandbox/rules/program-version.ts";
import type { CheckedOut, Checkout, ProgramStatus } from "../../src/sandbox-protocol/protocol.ts";
import type { Start, StartPlan } from "./start.ts";

/** About as long as a fetch takes. */
const newestWaitMs = 1_000;

/** The program with which a start continues. */
export interface StartedProgram {
  /** `found`: it was already running. `booted`: this start started it. */
  how: "found" | "booted";
  status: ProgramStatus;
  /**
   * Accepts only this process, because a restarted program would lack what the start puts there.
   */
  client: ProgramClient;
  /** The session's checkout that was made from a spare's; null if no spare was adopted. */
  adopted: CheckedOut | null;
}

/**
 * Continues with the program that already runs, for example after an interrupted start. A spare is
 * adopted first. Boots the program if none runs, or if the spare cannot be adopted.
 */
export async function findProgram(start: Start, plan: StartPlan): Promise<StartedProgram> {
  const { sandbox, driver, signal } = start;
  const { secret, spareBranch } = sandbox;
  const anyProgram = createProgramClient(driver, { secret }, signal);
  const running = await findStatus(anyProgram);
  const newest = spareBranch === null ? undefined : await plan.newest;
  const isUsable = running !== null && (await isHeldTo(driver, plan.network));
  const adopted =
    isUsable && spareBranch !== null ? await adopt(anyProgram, { ...plan.checkout, spareBranch, newest }) : null;
  const isFound = isUsable && (adopted !== null || spareBranch === null);
  const status = isFound ? running : await boot(start, plan.network, anyProgram);
  const client = createProgramClient(driver, { secret, bootId: status.bootId }, signal);
  return { how: isFound ? "found" : "booted", status, client, adopted };
}

/** False for a program that was started with another network than the sandbox is to have. */
async function isHeldTo(driver: SandboxDriver, network: NetworkInForce): Promise<boolean> {
  const held = await driver.findNetwork();
  return held !== null && isSameNetwork(held.network, network);
}

/**
 * The code host's newest commit of a branch; undefined if the code host does not respond soon. The
 * checkout then asks by git.
 */
export async function findNewestCommit(env: Env, project: Project, branch: string): Promise<string | undefined> {
  let newest: string | undefined;
  const asked = createCodeHost(env, project)
    .readBranchHead(project.repository, branch)
    .then((head) => {
      newest = isRefusal(head) ? undefined : head;
    });
  await isDoneWithin(asked, newestWaitMs, (error) =>
    log.warn("target_branch.head_unknown", { projectId: project.id, error }),
  );
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
    log.warn("spare.not_adopted", { code: adopted.refusal.code, error: adopted.refusal.message });
  } catch (error) {
    log.warn("spare.not_adopted", { error });
  }
  return null;
}

/**
 * Starts the program. Its disk is empty, unless the platform kept it after a pause, or a host on a
 * single machine was killed. The checkout on such a disk is the newest.
 */
async function boot(
  { sandbox: { secret }, driver, signal, useNewContainer }: Start,
  network: NetworkInForce,
  program: ProgramClient,
): Promise<ProgramStatus> {
  signal.throwIfAborted();
  useNewContainer();
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    await driver.stop();
    await startWhereThereIsRoom(() => driver.start(secret, network), signal);
    const status = await program.status();
    if (!status.ok) throw new Error(`the sandbox answered ${status.refusal.code} to its first call`);
    if (isUnderstood(status.value.protocolVersion)) return status.value;
    if (attempt === imageAttempts) {
      await driver.stop();
      throw new EarlierImage(status.value.protocolVersion);
    }
    await scheduler.wait(getStartRetryDelayMs(attempt, Math.random()), { signal });
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
async function startWhereThereIsRoom(start: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await start();
    } catch (error) {
      if (!isOutOfRoom(getErrorMessage(error))) throw error;
      log.warn("sandbox.no_room", { attempt, error });
    }
    await scheduler.wait(getStartRetryDelayMs(attempt, Math.random()), { signal });
  }
}

/**
 * The status of a program that already runs, for example after an interrupted start. Null if no
 * compatible program runs.
 */
async function findStatus(program: ProgramClient): Promise<ProgramStatus | null> {
  try {
    const status = await program.status();
    return status.ok && isUnderstood(status.value.protocolVersion) ? status.value : null;
  } catch {
    return null;
  }
}
