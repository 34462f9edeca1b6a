// Starts a sandbox in named steps: a slot, a program, a filled disk, a checkout, and the project's
// services. Every step is safe to repeat, and none begins after the start was abandoned.
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { withAbort } from "../../src/lib/timeout.ts";
import type { NetworkInForce } from "../../src/network/rules/network.ts";
import { readNetworkForStart } from "../../src/network/settings.ts";
import { getAllowedHostVariables } from "../../src/preview/rules/allowed-hosts.ts";
import { findProject, type Project } from "../../src/project/queries.ts";
import type { ProjectSettings, StoredValue } from "../../src/project/rules/settings.ts";
import { sealSettings } from "../../src/project/settings.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { claimSlotAgain } from "../../src/sandbox/claim-slot.ts";
import { getSandboxDriver } from "../../src/sandbox/program/choose-driver.ts";
import { isTimeout, SandboxBroke, type SandboxDriver, SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import { updateSlot } from "../../src/sandbox/queries/slots.ts";
import { getStartRetryDelayMs, startAttempts, startInNewContainer } from "../../src/sandbox/rules/container.ts";
import {
  isStarting,
  recordStart,
  type SandboxRecord,
  type Starting,
  startFailed,
} from "../../src/sandbox/rules/lifecycle.ts";
import { findTurnOwner, type SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { CheckedOut, Checkout, ProgramRefusal } from "../../src/sandbox-protocol/protocol.ts";
import { refuseSandbox } from "../../src/workspace/rules/billing-plan.ts";
import { getProjectObject, getTurnOwnerObject } from "../address.ts";
import { EarlierImage, findNewestCommit, findProgram, type StartedProgram } from "./boot.ts";
import { type BootProgress, createBootProgress } from "./boot-progress.ts";
import type { SandboxContext } from "./context.ts";
import { runStart, waitForPreviousEnd } from "./lifecycle.ts";
import {
  createOwnPrebuild,
  findPrebuildFault,
  type LoadedPrebuild,
  loadPrebuild,
  retireBrokenPrebuild,
  type WantedPrebuild,
} from "./prebuild.ts";
import { earlierImageRefusal, goneRefusal, silentRefusal, startRefusal } from "./program-calls.ts";
import { restoreSandboxWork } from "./saved-work.ts";
import { getWantedCheckout, getWantedSettings } from "./settings.ts";

/** What the steps of one start work with. */
export interface Start {
  env: Env;
  key: string;
  sandbox: SandboxRecord & Starting & { owner: SandboxOwner };
  driver: SandboxDriver;
  /** Aborted if the start is abandoned. */
  signal: AbortSignal;
  /** Shows people who wait how far the start is. */
  progress: BootProgress;
  /** Makes the driver use a new container, if the sandbox has the container of a spare. */
  useNewContainer(): void;
}

/** What a start is to bring up. */
export interface StartPlan {
  project: Project;
  settings: ProjectSettings;
  checkout: Checkout;
  /** What the sandbox may reach. */
  network: NetworkInForce;
  /** The newest commit of the Target Branch for a disk that starts from it, if it is soon known. */
  newest: Promise<string | undefined>;
}

/**
 * Where the files of a starting sandbox come from: `adopted` from a spare, `found` with a running
 * program, `kept` from a pause, `restored` from the saved work, or `new` from the repository.
 */
type Disk =
  | { type: "adopted"; checkout: CheckedOut }
  | { type: "found" | "kept" }
  | { type: "restored" }
  | { type: "new"; prebuild: LoadedPrebuild | null };

/** A sandbox that is up. */
interface StartedSandbox {
  /** True if a prebuild would have saved time. */
  isPrebuildWorthwhile: boolean;
  /**
   * How long it took to update a prebuild of an earlier commit, including its setup; null if none
   * was updated.
   */
  prebuildUpdateMs: number | null;
  /** The setup command that failed, with the end of its output, if an agent is to fix it. */
  setupFailure: string | null;
  /** The process of the program. */
  bootId: string;
  /** The build of the program, and the version of the protocol that it speaks. */
  program: string;
  protocol: number;
  /** The settings that it was brought up with, sealed. */
  settings: ProjectSettings<StoredValue>;
}

/** Saved work that cannot be restored. */
interface Unrestorable {
  unrestorable: Refusal;
}

type StartOutcome = StartedSandbox | Unrestorable | Refusal;

type StepName =
  | "waitForPreviousEnd"
  | "claimSlot"
  | "readPlan"
  | "findProgram"
  | "fillDisk"
  | "checkOut"
  | "reportCheckout"
  | "followTargetBranch"
  | "makeOwnPrebuild"
  | "startServices"
  | "markRunning";

/** Runs a step, unless the start was abandoned. */
type RunStep = <Result>(name: StepName, step: () => Promise<Result>) => Promise<Result>;

/** The time that each step took, in milliseconds, over all attempts. */
type StepTimes = Partial<Record<StepName, number>>;

/** Starts the sandbox of a generation, and records the outcome. */
export async function startSandbox(context: SandboxContext, generation: number): Promise<void> {
  const { calls } = context;
  const abort = new AbortController();
  const times: StepTimes = {};
  const startedAt = Date.now();
  const runStep = createStepRunner(abort.signal, times);
  await runStep("waitForPreviousEnd", () => waitForPreviousEnd(context, generation));
  const sandbox = calls.sandbox();
  const { owner } = sandbox;
  if (!isStarting(sandbox) || sandbox.generation !== generation || !owner) return;
  const start = prepareStart(context, { ...sandbox, owner }, abort.signal);
  const { progress } = start;
  const runShown: RunStep = (name, step) => progress.watch(name, () => runStep(name, step));
  await runStart(context, abort, async () => {
    const outcome = await withRetries(() => runSteps(start, runShown), start).finally(progress.close);
    if (!("unrestorable" in outcome || isRefusal(outcome)))
      log.info("sandbox.started", { sandboxKey: start.key, generation, ms: Date.now() - startedAt, ...times });
    recordOutcome(context, generation, outcome);
  });
}

function prepareStart({ env, calls, shell }: SandboxContext, sandbox: Start["sandbox"], signal: AbortSignal): Start {
  const { key } = calls;
  const { generation } = sandbox;
  // What remains of an abandoned start must not reach the container of the next one.
  let { containerGeneration } = sandbox;
  const driver = getSandboxDriver(env, key, () => containerGeneration);
  const useNewContainer = () => {
    shell.decide((current) => startInNewContainer(current, generation));
    containerGeneration = generation;
  };
  const progress = createBootProgress(env, sandbox.owner);
  return { env, key, sandbox, driver, signal, progress, useNewContainer };
}

function recordOutcome({ store, calls, shell }: SandboxContext, generation: number, outcome: StartOutcome): void {
  if ("unrestorable" in outcome) {
    shell.decide((current, now) => startFailed(current, generation, outcome.unrestorable, now, true));
    return;
  }
  // No `await` runs until the decision, so both are stored or neither.
  if (!isRefusal(outcome) && calls.sandbox().generation === generation) store.saveSettings(outcome.settings);
  shell.decide((current, now) =>
    isRefusal(outcome)
      ? startFailed(current, generation, outcome, now)
      : recordStart(current, { generation, ...outcome }, now),
  );
}

function createStepRunner(signal: AbortSignal, times: StepTimes): RunStep {
  return async (name, step) => {
    signal.throwIfAborted();
    const startedAt = Date.now();
    try {
      return await step();
    } finally {
      times[name] = (times[name] ?? 0) + Date.now() - startedAt;
    }
  };
}

/** The outcome of a start. For an unexpected error, only the log has details. */
async function withRetries(
  attemptStart: () => Promise<StartOutcome>,
  { key: sandboxKey, signal }: Start,
): Promise<StartOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withAbort(attemptStart(), signal);
    } catch (error) {
      log.warn("sandbox.start_failed", { sandboxKey, attempt, error });
      const known = findKnownRefusal(error);
      if (known !== null || signal.aborted || attempt === startAttempts) return known ?? startRefusal;
    }
    // If the start is abandoned meanwhile, the next attempt ends immediately.
    await scheduler.wait(getStartRetryDelayMs(attempt, Math.random()), { signal }).catch(() => {});
  }
}

/** Brings a sandbox up, or returns why that is not possible. Unexpected errors are thrown. */
async function runSteps(start: Start, runStep: RunStep): Promise<StartOutcome> {
  const isMain = start.sandbox.owner.type === "main";
  const limit = await runStep("claimSlot", () => claimSlot(start));
  if (limit !== null) return limit;
  const plan = await runStep("readPlan", () => readPlan(start));
  if (isRefusal(plan)) return plan;
  const program = await runStep("findProgram", () => findProgram(start, plan));
  const disk = await runStep("fillDisk", () => fillDisk(start, plan, program));
  if (isRefusal(disk)) return { unrestorable: disk };
  const checkout = await runStep("checkOut", () => checkOut(start, plan, program, disk));
  if (isRefusal(checkout)) return checkout;
  const { head, paysABase: isPrebuildWorthwhile, baseMovedMs: prebuildUpdateMs = null, setupFailure = null } = checkout;
  const isFirstCheckout = disk.type === "adopted" || disk.type === "new";
  if (isFirstCheckout && head !== null) await runStep("reportCheckout", () => reportCheckout(start, head));
  if (isMain && (disk.type === "restored" || disk.type === "kept"))
    await runStep("followTargetBranch", () => followTargetBranch(start, plan, program));
  const makesOwnPrebuild = isMain && isPrebuildWorthwhile;
  if (makesOwnPrebuild) await runStep("makeOwnPrebuild", () => createPrebuildOfMain(start, plan, program, head));
  const failed = await runStep("startServices", () => startServices(start, plan, program));
  if (failed !== null) return failed;
  await runStep("markRunning", () => markRunning(start));
  const { project, settings } = plan;
  const sealed = await sealSettings(start.env.SEALING_KEYS, { id: project.id, settings });
  return {
    isPrebuildWorthwhile: isPrebuildWorthwhile && !makesOwnPrebuild,
    prebuildUpdateMs,
    setupFailure,
    bootId: program.status.bootId,
    program: getProgramBuild(start, program),
    protocol: program.status.protocolVersion,
    settings: sealed.settings,
  };
}

/**
 * The build of the program. During a rollout, the platform may start an earlier image than the one
 * that this version names, so the program itself says it. One that was found was started at an
 * earlier wake, perhaps by an earlier version of the service.
 */
function getProgramBuild({ sandbox, env }: Start, { how, status }: StartedProgram): string {
  if (status.imageTag !== undefined) return status.imageTag;
  return how === "found" ? sandbox.program : env.SANDBOX_PROGRAM;
}

/** Claims a slot, and marks it as that of a start. Returns why there is none. */
async function claimSlot({ env, key, sandbox: { owner }, signal }: Start): Promise<Refusal | null> {
  do {
    const limit = await claimSlotAgain(env, key, owner);
    if (limit !== null) return refuseSandbox(limit);
    signal.throwIfAborted();
    // Until it is marked, a claimed slot may be released, either because no start followed or
    // because the sandbox that ran in it was lost. It is then claimed again.
  } while (!(await updateSlot(env.DB, key, "starting")));
  return null;
}

/** Reads what the sandbox is to contain. */
async function readPlan({ env, key, sandbox }: Start): Promise<StartPlan | Refusal> {
  const { owner, generation, archiveKey } = sandbox;
  const project = await findProject(env.DB, owner.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const network = await readNetworkForStart(env, project);
  if (isRefusal(network)) return network;
  const asksForNewest = archiveKey === null && owner.baseBranch === project.targetBranch;
  const newest = asksForNewest ? findNewestCommit(env, project, owner.baseBranch) : Promise.resolve(undefined);
  const settings = await getWantedSettings(env, { key, owner }, project);
  const checkout = await getWantedCheckout(env, { key, owner, generation }, settings);
  return { project, settings, checkout, network, newest };
}

/**
 * Fills an empty disk: with the saved work, or with a prebuild from which the checkout continues.
 * A disk that was kept has what was saved, or newer work. Returns why the work cannot be restored.
 */
async function fillDisk(start: Start, plan: StartPlan, program: StartedProgram): Promise<Disk | Refusal> {
  const { env, key, sandbox } = start;
  const { archiveKey, owner } = sandbox;
  const { projectId } = owner;
  if (program.adopted !== null) return { type: "adopted", checkout: program.adopted };
  if (program.status.checkedOut) return { type: program.how === "found" ? "found" : "kept" };
  if (archiveKey !== null) {
    const unrestorable = await restoreSandboxWork(env, program.client, { key, projectId, workKey: archiveKey });
    return unrestorable ?? { type: "restored" };
  }
  const wanted = getWantedPrebuild(plan, program);
  const prebuild = owner.isFresh ? null : await loadPrebuild(env, program.client, key, wanted, plan.newest);
  return { type: "new", prebuild };
}

/** Checks the branch out and sets it up. A prebuild that was of no use is retired. */
async function checkOut(
  { env, key, progress, sandbox: { owner, generation } }: Start,
  plan: StartPlan,
  { client }: StartedProgram,
  disk: Disk,
): Promise<CheckedOut | Refusal> {
  if (disk.type === "adopted") return disk.checkout;
  const { id = null, newest } = (disk.type === "new" && disk.prebuild) || {};
  // A sandbox that is started again may have pushed its branch.
  const known = owner.isNew && generation === 1 ? { newest } : {};
  // A spare has another token once a session takes it over.
  const run = () => client.checkout({ ...plan.checkout, ...known, early: owner.type === "session" });
  const checkout = await (plan.checkout.setup.length === 0 ? run() : progress.watchSetup(client, run));
  const reason = findPrebuildFault(checkout);
  if (id !== null && reason !== null) await retireBrokenPrebuild(env, { sandboxKey: key, id, reason });
  if (checkout.ok) return checkout.value;
  const isSetup = checkout.refusal.code === "SETUP_FAILED";
  return refuseStart(isSetup ? "The setup failed" : "The repository could not be checked out", checkout.refusal);
}

/**
 * Reports the first commit of the branch to the owner of the turns. If that fails, the next turn
 * reports it.
 */
async function reportCheckout({ env, sandbox }: Start, targetCommit: string): Promise<void> {
  const owner = findTurnOwner(sandbox.owner);
  if (owner === null) return;
  await getTurnOwnerObject(env, owner)
    .handleEvent({ type: "checkout", targetCommit })
    .catch((error: unknown) => log.warn("checkout.not_reported", { object: owner.type, objectId: owner.id, error }));
}

/**
 * Updates a main sandbox that slept to the Target Branch before its services start, and reports the
 * outcome to its project. A setup that failed again on an earlier commit is not reported.
 */
async function followTargetBranch(
  { env, key }: Start,
  { project, checkout }: StartPlan,
  { client }: StartedProgram,
): Promise<void> {
  try {
    const outcome = await client.followTargetBranch(checkout);
    const reason = outcome.ok ? (outcome.value.setupFailure ?? null) : outcome.refusal.message;
    if (reason !== null && outcome.ok && !outcome.value.moved) return;
    await getProjectObject(env, project.id).recordFollowed({ sandboxKey: key, reason });
  } catch (error) {
    log.warn("main_sandbox.follow_failed", { sandboxKey: key, error });
  }
}

/**
 * Makes a prebuild from a main sandbox that started without one, so that its saved work is small.
 */
async function createPrebuildOfMain(
  { env, key }: Start,
  plan: StartPlan,
  program: StartedProgram,
  head: string | null,
): Promise<void> {
  await createOwnPrebuild(env, program.client, { key, head, wanted: getWantedPrebuild(plan, program) });
}

/** Starts the services. Returns why that is not possible. */
async function startServices(
  { env }: Start,
  { settings }: StartPlan,
  { client, adopted }: StartedProgram,
): Promise<Refusal | null> {
  const services = await client.services({
    services: settings.services,
    env: settings.env,
    // The services of a spare run from the commit that it was made with.
    restart: adopted?.moved === true,
    hostEnv: getAllowedHostVariables(env.PREVIEW_DOMAIN),
  });
  return services.ok ? null : refuseStart("The services could not be started", services.refusal);
}

/**
 * Marked before the owner learns that the sandbox runs. Otherwise a crash would leave a running
 * sandbox listed as starting.
 */
async function markRunning({ env, key }: Start): Promise<void> {
  await updateSlot(env.DB, key, "running");
}

const getWantedPrebuild = ({ project, network, checkout }: StartPlan, { status }: StartedProgram): WantedPrebuild => ({
  project,
  network,
  programVersion: status.programVersion,
  checkout,
});

function refuseStart(what: string, { message }: ProgramRefusal): Refusal {
  return refuse("SERVICE_UNAVAILABLE", `${what}: ${message}`);
}

function findKnownRefusal(error: unknown): Refusal | null {
  if (error instanceof EarlierImage) return earlierImageRefusal;
  if (isTimeout(error)) return silentRefusal;
  return error instanceof SandboxBroke || error instanceof SandboxUnreachable ? goneRefusal : null;
}
