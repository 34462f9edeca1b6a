// The sandbox object: one per sandbox key, and the authority on its life. Every call to a sandbox
// goes through it.

import migrations from "../../migrations/sandbox/migrations.js";
import type { TurnSigns } from "../../src/chat/rules/watchdog.ts";
import type { Env } from "../../src/env.ts";
import { getLeastIdleMs } from "../../src/one-machine.ts";
import type { PreviewUnavailable, SandboxStatus } from "../../src/preview/rules/preview.ts";
import { createRelayLimits } from "../../src/preview/rules/relay-limit.ts";
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
import { retireOutdated, stopSandboxGracefully, waitUntilStopped } from "./lifecycle.ts";
import { followTargetBranch, isLost, loadPages, refreshSettings, wakeSandbox } from "./main-sandbox.ts";
import { explainUnreachable, forwardVisit, wakeForPreview } from "./preview.ts";
import { createProgramCalls } from "./program-calls.ts";
import type { PreviewWake, SandboxLayout, SandboxRpc, SandboxUp, SentWork, WorkReader } from "./rpc.ts";
import { readServiceLog, resetServices } from "./services.ts";
import { findCurrentLayout, findCurrentSettings } from "./settings.ts";
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
  readonly #calls = createProgramCalls(this.env, getObjectName(this.ctx), () => this.#store.load(), this.#shell);
  readonly #context: SandboxContext = {
    ...{ env: this.env, store: this.#store, calls: this.#calls, shell: this.#shell },
    saveLock: createKeyedLock(),
    usedPrebuild: null,
    countedWork: null,
    trackedBranches: new Map(),
    relayLimits: createRelayLimits(),
  };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#shell.resume());
  }

  async startTurn(request: TurnRequest): Promise<TurnHandover> {
    return await startTurnInSandbox(this.#context, request);
  }

  async stopTurn(turnId: string): Promise<boolean> {
    return await stopTurnInSandbox(this.#context, turnId);
  }

  async release(turnId: string): Promise<void> {
    releaseSandbox(this.#context, turnId);
  }

  async discard(generation: number): Promise<void> {
    this.#shell.decide((sandbox) => recordLoss(sandbox, generation));
  }

  async compact(request: CompactionRequest): Promise<Compacted | Refusal> {
    return await compactInSandbox(this.#context, request);
  }

  async stopGracefully(): Promise<number | null> {
    return stopSandboxGracefully(this.#context);
  }

  async waitUntilStopped(generation: number): Promise<boolean> {
    return await waitUntilStopped(this.#context, generation);
  }

  async destroy(): Promise<void> {
    this.#shell.decide(destroy);
  }

  async isGenerationAlive(generation: number): Promise<boolean> {
    return isGenerationAlive(this.#store.load(), generation);
  }

  async isContainerWanted(generation: number | null): Promise<boolean> {
    return isContainerWanted(this.#store.load(), generation);
  }

  async probe(): Promise<Omit<TurnSigns, "lastSignAt">> {
    return await probeSandbox(this.#context);
  }

  async bringUp(owner: SandboxOwner): Promise<SandboxUp | Refusal> {
    return await wakeSandbox(this.#context, owner);
  }

  async isLost(): Promise<boolean> {
    return await isLost(this.#context);
  }

  async reclaim(): Promise<Reclaimed> {
    const reclaimed = this.#shell.decide(reclaim);
    if (isRefusal(reclaimed)) throw new Error(reclaimed.message);
    return reclaimed;
  }

  async deleteWork(): Promise<void> {
    this.#shell.decide(deleteWork);
  }

  async followTargetBranch(owner: SandboxOwner): Promise<Followed | "asleep" | Refusal> {
    return await followTargetBranch(this.#context, owner);
  }

  async checkLife(): Promise<void> {
    await this.#shell.rearm();
    await probeSandbox(this.#context);
    retireOutdated(this.#context);
  }

  async retryParked(): Promise<number> {
    return await this.#shell.retryParked();
  }

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

  async explainUnreachable(visited: SandboxOwner | null): Promise<PreviewUnavailable> {
    return await explainUnreachable(this.#context, visited);
  }

  async status(): Promise<SandboxStatus> {
    return await getSandboxStatus(this.#context);
  }

  async findNetwork(): Promise<HeldNetwork | null> {
    return this.#calls.sandbox().state === "running" ? await this.#calls.driver.findNetwork() : null;
  }

  async readCheckout(query: CheckoutQuery): Promise<CheckoutAnswer | Refusal> {
    return await readCheckout(this.#context, query);
  }

  async readFile(path: string, asleep: string): Promise<string | Refusal> {
    return await readFile(this.#context, path, asleep);
  }

  async writeFile(write: FileWrite, asleep: string): Promise<Refusal | null> {
    return await writeFile(this.#context, write, asleep);
  }

  async readWork(reader: WorkReader, asleep: string): Promise<SentWork | Refusal> {
    return await readWork(this.#context, reader, asleep);
  }

  async writeWork(expected: string, bundle: ReadableStream<Uint8Array>, asleep: string): Promise<WorkState | Refusal> {
    return await writeWork(this.#context, expected, bundle, asleep);
  }

  async commit(owner: SandboxOwner, message: string, author: GitCommit["author"]): Promise<GitCommitted | Refusal> {
    return await commit(this.#context, owner, { message, author });
  }

  async push(owner: SandboxOwner, memberId: string | null): Promise<Refusal | null> {
    return await push(this.#context, owner, memberId);
  }

  async serviceLog(query: ServiceLogQuery, asleep: string): Promise<ServiceLogPart | Refusal> {
    return await readServiceLog(this.#context, query, asleep);
  }

  async reset(): Promise<Refusal | null> {
    return await resetServices(this.#context);
  }

  async refreshSettings(owner: SandboxOwner): Promise<Refusal | null> {
    return await refreshSettings(this.#context, owner);
  }

  async findSettings(projectId: string): Promise<ProjectSettings | null> {
    return await findCurrentSettings(this.#context, projectId);
  }

  async saveSettings(settings: ProjectSettings<StoredValue>): Promise<void> {
    this.#store.saveSettings(settings);
  }

  async warm(): Promise<void> {
    await loadPages(this.#context);
  }

  async saveWork(): Promise<boolean> {
    return await saveNow(this.#context);
  }

  override async fetch(request: Request): Promise<Response> {
    const grant = request.headers.get(terminalGrantHeader);
    if (grant !== null) return startTerminal(this.#context, JSON.parse(grant));
    return await forwardVisit(this.#context, request);
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }
}
