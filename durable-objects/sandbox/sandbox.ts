// The sandbox object: one per sandbox key, and the authority on its life. Every access to a sandbox
// goes through it.

import migrations from "../../migrations/sandbox/migrations.js";
import type { TurnSigns } from "../../src/chat/rules/watchdog.ts";
import type { Env } from "../../src/env.ts";
import { getLeastIdleMs } from "../../src/one-machine.ts";
import type { PreviewUnavailable, SandboxStatus } from "../../src/preview/rules/preview.ts";
import type { ServiceLogPart, ServiceLogQuery } from "../../src/preview/rules/service-log.ts";
import type { ProjectSettings, StoredValue } from "../../src/project/rules/settings.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import type { HeldNetwork } from "../../src/sandbox/program/driver.ts";
import { isContainerWanted } from "../../src/sandbox/rules/container.ts";
import { deleteWork, type Reclaimed, reclaim } from "../../src/sandbox/rules/delete-unused.ts";
import { getAwayHoldMs } from "../../src/sandbox/rules/idle-tail.ts";
import { isGenerationAlive, recordLoss, type Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { destroy } from "../../src/sandbox/rules/pause.ts";
import { isResetting } from "../../src/sandbox/rules/reset.ts";
import type { CompactionRequest, TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox-protocol/checkout-query.ts";
import type {
  Compacted,
  FileWrite,
  Followed,
  GitCommit,
  GitCommitted,
  WorkState,
} from "../../src/sandbox-protocol/protocol.ts";
import { terminalGrantHeader } from "../../src/terminal/start.ts";
import { getDatabase, getObjectName } from "../object/database.ts";
import { createKeyedLock } from "../object/keyed-lock.ts";
import { createParking } from "../object/parking.ts";
import { ServiceObject } from "../object/service-object.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { commit, push, readCheckout, readFile, readWork, saveNow, writeFile, writeWork } from "./checkout.ts";
import { createSandboxStore, type SandboxContext } from "./context.ts";
import { handleSandboxReminder, performSandboxEffect } from "./effects.ts";
import { hasStopped, retireOutdated, stopSandboxGracefully } from "./lifecycle.ts";
import { followBase, isLost, loadPages, refreshSettings, wakeSandbox } from "./main-sandbox.ts";
import { explainUnreachable, forwardVisit, wakeForPreview } from "./preview.ts";
import { createSandboxAccess } from "./program-calls.ts";
import type { PreviewWake, SandboxLayout, SandboxRpc, SandboxUp, SentWork, WorkReader } from "./rpc.ts";
import { readServiceLog, resetServices } from "./services.ts";
import { findCurrentLayout } from "./settings.ts";
import { getSandboxStatus, probeSandbox } from "./status.ts";
import { startTerminal } from "./terminal.ts";
import { compactInSandbox, releaseSandbox, startTurnInSandbox, stopTurnInSandbox } from "./turns.ts";

export class SandboxObject extends ServiceObject implements SandboxRpc {
  readonly #db = getDatabase(this.ctx, migrations);
  readonly #store = createSandboxStore(this.#db);
  readonly #shell: Shell<Sandbox, SandboxEffect> = createShell<Sandbox, SandboxEffect>(this.ctx, this.#db, {
    load: () => this.#store.load(),
    save: (_, after) => this.#store.save(after),
    perform: (effect) => performSandboxEffect(this.#context, effect),
    parking: createParking(this.ctx, this.env, "sandbox"),
    remind: (name) => handleSandboxReminder(this.#context, name),
  });
  readonly #access = createSandboxAccess(this.env, getObjectName(this.ctx), () => this.#store.load(), this.#shell);
  readonly #context: SandboxContext = {
    ...{ env: this.env, store: this.#store, access: this.#access, shell: this.#shell },
    saveLock: createKeyedLock(),
    usedPrebuild: null,
    countedWork: null,
    trackedBranches: new Map(),
  };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#shell.resume());
  }

  /** Wakes the sandbox and hands it a turn. Throws if the attempt must be repeated. */
  async startTurn(request: TurnRequest): Promise<TurnHandover> {
    return await startTurnInSandbox(this.#context, request);
  }

  /** Ends a turn's agent and processes. Returns false if no sandbox runs. */
  async stopTurn(turnId: string): Promise<boolean> {
    return await stopTurnInSandbox(this.#context, turnId);
  }

  /** Releases the sandbox from a turn that has ended. */
  async release(turnId: string): Promise<void> {
    releaseSandbox(this.#context, turnId);
  }

  /** Ends a generation of the sandbox without saving. */
  async discard(generation: number): Promise<void> {
    this.#shell.decide((sandbox) => recordLoss(sandbox, generation));
  }

  /**
   * Wakes the sandbox and has it summarize the agent's conversation. Throws if the attempt must be
   * repeated.
   */
  async compact(request: CompactionRequest): Promise<Compacted | Refusal> {
    return await compactInSandbox(this.#context, request);
  }

  /**
   * Starts to save the work and end the process. Returns the generation that stops; null if none
   * runs.
   */
  async stopGracefully(): Promise<number | null> {
    return stopSandboxGracefully(this.#context);
  }

  /** Waits until a generation has stopped. Returns false if it was kept awake. */
  async hasStopped(generation: number): Promise<boolean> {
    return await hasStopped(this.#context, generation);
  }

  /**
   * Deletes process, slot and saved work after the response, because the session is deleted. The
   * sandbox cannot be started again.
   */
  async destroy(): Promise<void> {
    this.#shell.decide(destroy);
  }

  /** True while the sandbox of this generation starts, runs or is being paused. Never wakes it. */
  async isGenerationAlive(generation: number): Promise<boolean> {
    return isGenerationAlive(this.#store.load(), generation);
  }

  /**
   * True while the container that started in this generation is the sandbox's current one. Never
   * wakes the sandbox.
   */
  async isContainerWanted(generation: number | null): Promise<boolean> {
    return isContainerWanted(this.#store.load(), generation);
  }

  /** Probes whether the sandbox runs, without waking it. */
  async probe(): Promise<Omit<TurnSigns, "lastSignAt">> {
    return await probeSandbox(this.#context);
  }

  /** Brings the sandbox up and waits for it. A running sandbox is only probed. */
  async bringUp(owner: SandboxOwner): Promise<SandboxUp | Refusal> {
    return await wakeSandbox(this.#context, owner);
  }

  /**
   * True if nothing of the sandbox is left to wake: it was lost before a save, reclaimed or
   * deleted, or its saved work cannot be restored.
   */
  async isLost(): Promise<boolean> {
    return await isLost(this.#context);
  }

  /**
   * Deletes a paused main sandbox that was unused for long. Otherwise returns when that will be the
   * case.
   */
  async reclaim(): Promise<Reclaimed> {
    const reclaimed = this.#shell.decide(reclaim);
    if (isRefusal(reclaimed)) throw new Error(reclaimed.message);
    return reclaimed;
  }

  /**
   * Deletes the saved work after the response, because the session ended long ago. The changes of
   * the checkout can still be read.
   */
  async deleteWork(): Promise<void> {
    this.#shell.decide(deleteWork);
  }

  /**
   * Updates a running sandbox's checkout to the newest commit of its base branch. Refused with
   * JOB_ACTIVE while a turn runs.
   */
  async followBase(owner: SandboxOwner): Promise<Followed | "asleep" | Refusal> {
    return await followBase(this.#context, owner);
  }

  /**
   * Restores a lost alarm, records a sandbox that has stopped unnoticed, and retires one whose
   * program is outdated.
   */
  async checkLife(): Promise<void> {
    await this.#shell.rearm();
    await probeSandbox(this.#context);
    retireOutdated(this.#context);
  }

  /** Retries the parked effects, and returns how many there are. */
  async retryParked(): Promise<number> {
    return await this.#shell.retryParked();
  }

  /**
   * Wakes the sandbox for a preview. Waits for a new sandbox. A paused one resumes after the
   * response.
   */
  async wakeForPreview(owner: SandboxOwner): Promise<PreviewWake> {
    return await wakeForPreview(this.#context, owner);
  }

  async layout(): Promise<SandboxLayout> {
    const sandbox = this.#store.load();
    return {
      services: findCurrentLayout(this.#context),
      isResetting: isResetting(sandbox, Date.now()),
      awayHoldMs: getAwayHoldMs(sandbox.past, getLeastIdleMs(this.env)),
    };
  }

  /**
   * Why no service accepted a preview request. Only a visit that the owner allows may wake the
   * sandbox.
   */
  async explainUnreachable(visited: SandboxOwner | null): Promise<PreviewUnavailable> {
    return await explainUnreachable(this.#context, visited);
  }

  /** The status of the sandbox and its services. Never wakes it. */
  async status(): Promise<SandboxStatus> {
    return await getSandboxStatus(this.#context);
  }

  /** The network that the sandbox is held to; null if it does not run. Never wakes it. */
  async findNetwork(): Promise<HeldNetwork | null> {
    return this.#access.sandbox().state === "running" ? await this.#access.driver.findNetwork() : null;
  }

  /** Responds to a query of a running sandbox's checkout. Never wakes the sandbox. */
  async readCheckout(question: CheckoutQuery): Promise<CheckoutAnswer | Refusal> {
    return await readCheckout(this.#context, question);
  }

  /** Reads a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  async readFile(path: string, asleep: string): Promise<string | Refusal> {
    return await readFile(this.#context, path, asleep);
  }

  /** Replaces a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  async writeFile(write: FileWrite, asleep: string): Promise<Refusal | null> {
    return await writeFile(this.#context, write, asleep);
  }

  /** Reads the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  async readWork(reader: WorkReader, asleep: string): Promise<SentWork | Refusal> {
    return await readWork(this.#context, reader, asleep);
  }

  /** Replaces the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  async writeWork(expected: string, bundle: ReadableStream<Uint8Array>, asleep: string): Promise<WorkState | Refusal> {
    return await writeWork(this.#context, expected, bundle, asleep);
  }

  /** Commits every change. Wakes the sandbox. */
  async commit(owner: SandboxOwner, message: string, author: GitCommit["author"]): Promise<GitCommitted | Refusal> {
    return await commit(this.#context, owner, { message, author });
  }

  /** Pushes the branch for a member, or for an agent that acts for no member. Wakes the sandbox. */
  async push(owner: SandboxOwner, memberId: string | null): Promise<Refusal | null> {
    return await push(this.#context, owner, memberId);
  }

  /** The newest output of a service. Refused with `asleep` if the sandbox does not run. */
  async serviceLog(query: ServiceLogQuery, asleep: string): Promise<ServiceLogPart | Refusal> {
    return await readServiceLog(this.#context, query, asleep);
  }

  /** Restarts the services of a running sandbox after the response. */
  async reset(): Promise<Refusal | null> {
    return await resetServices(this.#context);
  }

  /**
   * Makes a running main sandbox use the current settings. A sandbox that does not run takes them
   * when it wakes.
   */
  async refreshSettings(owner: SandboxOwner): Promise<Refusal | null> {
    return await refreshSettings(this.#context, owner);
  }

  /** Stores the settings that a tool of the running turn applies. */
  async saveSettings(settings: ProjectSettings<StoredValue>): Promise<void> {
    this.#store.saveSettings(settings);
  }

  /** Loads the pages of the public endpoints once. */
  async warm(): Promise<void> {
    await loadPages(this.#context);
  }

  /** Saves the work now, because the sandbox's host is about to end. */
  async saveWork(): Promise<void> {
    await saveNow(this.#context);
  }

  /**
   * Forwards a preview request to a port of the sandbox. Responds with 503 and
   * `x-sandbox-unreachable` if nothing accepts it. A request with a grant opens a terminal.
   */
  override async fetch(request: Request): Promise<Response> {
    const grant = request.headers.get(terminalGrantHeader);
    if (grant !== null) return startTerminal(this.#context, JSON.parse(grant));
    return await forwardVisit(this.#context, request);
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }
}
