// The sandbox object: one per sandbox key, and the authority on its life. Everything that reaches a sandbox goes through here.
import { DurableObject } from "cloudflare:workers";
import migrations from "../../migrations/sandbox/migrations.js";
import type { Env } from "../../src/env.ts";
import type { TurnSigns } from "../../src/rules/chat/watchdog.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import type { PreviewUnavailable, SandboxStatus } from "../../src/rules/preview/preview.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import { destroy } from "../../src/rules/sandbox/pause.ts";
import { isGenerationAlive, lost, release, type Sandbox } from "../../src/rules/sandbox/sandbox.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox/checkout-query.ts";
import type { CompactionRequest } from "../../src/sandbox/compaction-request.ts";
import type { Compacted, FileWrite, GitCommit, GitCommitted } from "../../src/sandbox/protocol.ts";
import type { TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import { openDatabase } from "../object/database.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { openSandboxAccess } from "./access.ts";
import { readCheckout } from "./checkout.ts";
import { mindSandboxReminder, performSandboxEffect } from "./effects.ts";
import { carryVisit, missVisit, wakeForPreview } from "./preview.ts";
import type { PreviewWake, SandboxRpc } from "./rpc.ts";
import { resetServices } from "./services.ts";
import { probeSandbox, sandboxStatus } from "./status.ts";
import { hasStopped, stopSandboxGracefully } from "./stop.ts";
import { openSandboxStore } from "./store.ts";
import { compactInSandbox, startTurnInSandbox, stopTurnInSandbox } from "./turns.ts";
import { commit, push, readFile, saveNow, writeFile } from "./work.ts";

export class SandboxObject extends DurableObject<Env> implements SandboxRpc {
  readonly #db = openDatabase(this.ctx, migrations);
  readonly #store = openSandboxStore(this.#db);
  readonly #shell: Shell<Sandbox, SandboxEffect> = createShell<Sandbox, SandboxEffect>(this.ctx, this.#db, {
    load: () => this.#store.load(),
    save: (_, after) => this.#store.save(after),
    perform: (effect) => performSandboxEffect(this.#context, effect),
    remind: (name) => mindSandboxReminder(this.#context, name),
  });
  // Objects are addressed by name alone; see `address.ts`.
  readonly #access = openSandboxAccess(this.env, this.ctx.id.name ?? "", () => this.#store.load(), this.#shell);
  readonly #context = { env: this.env, access: this.#access, shell: this.#shell };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => this.#shell.resume());
  }

  /** Wakes the sandbox and hands it a turn. Throws when it should be tried again. */
  async startTurn(request: TurnRequest): Promise<TurnHandover> {
    return await startTurnInSandbox(this.#context, request);
  }

  /** Ends a turn's agent and processes. False when there is no sandbox, so that there is nothing to end. */
  async stopTurn(turnId: string): Promise<boolean> {
    return await stopTurnInSandbox(this.#context, turnId);
  }

  /** A turn is over. */
  async release(turnId: string): Promise<void> {
    this.#shell.decide((sandbox, now) => release(sandbox, turnId, now));
  }

  /** Ends the sandbox of a generation with all that was not saved. */
  async discard(generation: number): Promise<void> {
    this.#shell.decide((sandbox) => lost(sandbox, generation));
  }

  /** Wakes the sandbox and has it summarize the agent's conversation. Throws when it should be tried again. */
  async compact(request: CompactionRequest): Promise<Compacted | Refusal> {
    return await compactInSandbox(this.#context, request);
  }

  /** Nobody works in it for now: the work is saved and the process ended behind the answer. Null when neither is there. */
  async stopGracefully(): Promise<number | null> {
    return stopSandboxGracefully(this.#context);
  }

  /** Whether a generation that was retired came to its end; answers as soon as that is known. */
  async hasStopped(generation: number): Promise<boolean> {
    return await hasStopped(this.#context, generation);
  }

  /** The session is deleted: process, slot and saved work go behind the answer, and no sandbox comes any more. */
  async destroy(): Promise<void> {
    this.#shell.decide(destroy);
  }

  /** True while the sandbox of this generation starts, runs or is being paused. Never wakes it. */
  async isGenerationAlive(generation: number): Promise<boolean> {
    return isGenerationAlive(this.#store.load(), generation);
  }

  /** What can be said of the sandbox without waking it. */
  async probe(): Promise<Omit<TurnSigns, "lastSignAt">> {
    return await probeSandbox(this.#context);
  }

  /** Wakes the sandbox for whoever wants to see it. Waits while a missing one is created; a paused one comes back behind the answer. */
  async wakeForPreview(owner: SandboxOwner): Promise<PreviewWake> {
    return await wakeForPreview(this.#context, owner);
  }

  /** Why nothing took a preview request. A visit by leave of the owner may wake the sandbox; without one, nothing does. */
  async missed(visited: SandboxOwner | null): Promise<PreviewUnavailable> {
    return await missVisit(this.#context, visited);
  }

  /** What can be seen of the sandbox and its services. Never wakes it. */
  async status(): Promise<SandboxStatus> {
    return await sandboxStatus(this.#context);
  }

  /** What can be read of the checkout of a running sandbox. Never wakes it. */
  async readCheckout(question: CheckoutQuery): Promise<CheckoutAnswer | Refusal> {
    return await readCheckout(this.#context, question);
  }

  /** Reads a file of a running sandbox; `asleep` is said where it does not run. */
  async readFile(path: string, asleep: string): Promise<string | Refusal> {
    return await readFile(this.#context, path, asleep);
  }

  /** Replaces a file of a running sandbox; `asleep` is said where it does not run. */
  async writeFile(write: FileWrite, asleep: string): Promise<Refusal | null> {
    return await writeFile(this.#context, write, asleep);
  }

  /** Commits every change; wakes the sandbox. */
  async commit(owner: SandboxOwner, message: string, author: GitCommit["author"]): Promise<GitCommitted | Refusal> {
    return await commit(this.#context, owner, { message, author });
  }

  /** Pushes the branch for a member, or for an agent that acts as nobody; wakes the sandbox. */
  async push(owner: SandboxOwner, memberId: string | null): Promise<Refusal | null> {
    return await push(this.#context, owner, memberId);
  }

  /** Restarts the services behind the answer, in a sandbox that runs. */
  async reset(): Promise<Refusal | null> {
    return await resetServices(this.#context);
  }

  /** Saves the work now; whoever is about to end the sandbox's host asks for it. */
  async saveWork(): Promise<void> {
    await saveNow(this.#context);
  }

  /** Carries a preview request to a port of the sandbox; 503 with `x-sandbox-unreachable` when nothing takes it. */
  override async fetch(request: Request): Promise<Response> {
    return await carryVisit(this.#context, request);
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }
}
