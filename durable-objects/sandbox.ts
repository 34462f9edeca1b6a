// The sandbox object: one per sandbox key, and the authority on its life. Everything that reaches a sandbox goes through here.
import { DurableObject } from "cloudflare:workers";
import migrations from "../migrations/sandbox/migrations.js";
import { bringUpSandbox, errandPass, SandboxStartRefused } from "../src/actions/bring-up-sandbox.ts";
import { saveSandboxWork } from "../src/actions/save-sandbox-work.ts";
import { startTurnInProgram } from "../src/actions/start-turn-in-program.ts";
import type { Env } from "../src/env.ts";
import { newSecret } from "../src/ids.ts";
import type { SandboxEffect } from "../src/rules/effect.ts";
import { previewWakeWaitMs } from "../src/rules/limits.ts";
import type { SandboxSight } from "../src/rules/preview.ts";
import { isRefusal, type Refusal, refuse } from "../src/rules/refusal.ts";
import {
  isStarting,
  lookIdle,
  lost,
  occupy,
  paused,
  release,
  type Sandbox,
  type SandboxOwner,
  saved,
  started,
  startFailed,
  touch,
  wake,
} from "../src/rules/sandbox.ts";
import { type ProgramAnswer, type ProgramClient, programClient, unwrap } from "../src/sandbox/client.ts";
import { SandboxUnreachable } from "../src/sandbox/driver.ts";
import { hostDriver } from "../src/sandbox/host-driver.ts";
import type { GitReading } from "../src/sandbox/protocol.ts";
import type { OrderOutcome, TurnOrder } from "../src/sandbox/turn-order.ts";
import { releaseSlot } from "../src/storage/queries/sandbox-slots.ts";
import { openDatabase } from "./database.ts";
import { openSandboxStore } from "./sandbox-store.ts";
import { createShell, type ReminderEffect } from "./shell.ts";

/** A preview read waits this long for a sandbox that is created for it; afterwards health tells. */
const createWaitMs = 30_000;
const startRefusal = "The sandbox could not be started. Try again; if it fails again, contact support.";

export class SandboxObject extends DurableObject<Env> {
  readonly #db = openDatabase(this.ctx, migrations);
  readonly #store = openSandboxStore(this.#db);
  readonly #shell = createShell<Sandbox, SandboxEffect>(this.ctx, this.#db, {
    load: () => this.#store.load(),
    save: (_, after) => this.#store.save(after),
    perform: (effect) => this.#perform(effect),
    remind: async (name) => this.#remind(name),
  });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => this.#shell.resume());
  }

  get #key(): string {
    // Objects are addressed by name alone; see `address.ts`.
    return this.ctx.id.name ?? "";
  }

  get #driver() {
    return hostDriver(this.env.SANDBOX_HOST_URL, this.#key);
  }

  get #program(): ProgramClient {
    return programClient(this.#driver, this.#store.load().secret);
  }

  /** Wakes the sandbox and hands it a turn. Throws when it should be tried again. */
  async startTurn(order: TurnOrder): Promise<OrderOutcome> {
    this.#shell.decide((sandbox, now) => occupy(sandbox, order.turnId, now));
    const outcome = await this.#inRunningSandbox<OrderOutcome>(order.owner, (sandbox) =>
      startTurnInProgram(this.env, { key: this.#key, sandbox, program: this.#program, order }),
    );
    return isRefusal(outcome) ? { taken: false, conversationMissing: false, error: outcome.message } : outcome;
  }

  /** Ends a turn's agent and processes. When there is no sandbox, there is nothing to end. */
  async stopTurn(turnId: string): Promise<void> {
    if (this.#store.load().state !== "running") return;
    await this.#whileThere(() => this.#program.stopTurn(turnId));
  }

  /** A turn is over. */
  async release(turnId: string): Promise<void> {
    this.#shell.decide((sandbox, now) => release(sandbox, turnId, now));
  }

  /** Ends the sandbox of a generation with all that was not saved. */
  async discard(generation: number): Promise<void> {
    this.#shell.decide((sandbox) => lost(sandbox, generation));
  }

  /** What can be said of the sandbox without waking it. */
  async look(): Promise<"starting" | "running" | "gone"> {
    const sandbox = this.#store.load();
    if (isStarting(sandbox)) return "starting";
    if (sandbox.state !== "running") return "gone";
    if (await this.#driver.isRunning()) return "running";
    this.#shell.decide((current) => lost(current, sandbox.generation));
    return "gone";
  }

  /** Wakes the sandbox for whoever wants to see it. Waits while a missing one is created, and but briefly for a paused one. */
  async wakeForPreview(owner: SandboxOwner): Promise<"running" | "starting" | Refusal> {
    await this.look();
    const woken = this.#wake(owner);
    if (woken !== "starting") return woken;
    const { state, generation } = this.#store.load();
    const settled = this.#shell.settled(`start:${generation}`);
    await Promise.race([settled, scheduler.wait(state === "creating" ? createWaitMs : previewWakeWaitMs)]);
    const sandbox = this.#store.load();
    if (sandbox.state === "running") return "running";
    return isStarting(sandbox) ? "starting" : refuse("SERVICE_UNAVAILABLE", sandbox.failure ?? startRefusal);
  }

  /** What can be seen of the sandbox and its services. Never wakes it. */
  async sight(): Promise<SandboxSight> {
    const { state, generation } = this.#store.load();
    if (state !== "running") return { state, generation, services: null };
    const answer = await this.#whileThere(() => this.#program.status());
    return { state: this.#store.load().state, generation, services: answer?.ok ? answer.value.services : null };
  }

  /** The git state of a running sandbox; null when there is none. Never wakes it. */
  async gitState(base: string): Promise<GitReading | null | Refusal> {
    if (this.#store.load().state !== "running") return null;
    const answer = await this.#whileThere(() => this.#program.gitState(base));
    if (answer === undefined) return null;
    return answer.ok
      ? answer.value
      : refuse("SERVICE_UNAVAILABLE", "The sandbox could not read its git state. Try again.");
  }

  /** Reads a file of a running sandbox. */
  async readFile(path: string): Promise<string | Refusal> {
    const read = await this.#inAwakeSandbox(() => this.#program.readFile(path));
    return isRefusal(read) ? read : read.content;
  }

  /** Replaces a file of a running sandbox. */
  async writeFile(path: string, content: string): Promise<Refusal | null> {
    return await this.#inAwakeSandbox(() => this.#program.writeFile({ path, content }));
  }

  /** Commits every change; wakes the sandbox. */
  async commit(
    owner: SandboxOwner,
    message: string,
    author: { name: string; email: string },
  ): Promise<{ sha: string } | Refusal> {
    return await this.#inRunningSandbox(owner, async () => unwrap(await this.#program.commit({ message, author })));
  }

  /** Pushes the branch; wakes the sandbox. */
  async push(owner: SandboxOwner): Promise<Refusal | null> {
    return await this.#inRunningSandbox(owner, async ({ generation }) => {
      const pass = await errandPass(this.env, { key: this.#key, owner, generation });
      return unwrap(await this.#program.push({ pass }));
    });
  }

  /** Carries a preview request to a port of the sandbox; 503 with `x-sandbox-unreachable` when nothing takes it. */
  override async fetch(request: Request): Promise<Response> {
    const port = Number(request.headers.get("x-preview-port"));
    const headers = new Headers(request.headers);
    headers.delete("x-preview-port");
    this.#shell.decide((sandbox, now) => touch(sandbox, now));
    try {
      return await this.#driver.fetch(port, new Request(request, { headers }));
    } catch (error) {
      if (!(error instanceof SandboxUnreachable)) throw error;
      return new Response(null, { status: 503, headers: { "x-sandbox-unreachable": "1" } });
    }
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }

  #wake(owner: SandboxOwner): "running" | "starting" | Refusal {
    return this.#shell.decide((sandbox, now) => wake(sandbox, { owner, secret: newSecret() }, now));
  }

  /** Does something in a running sandbox: wakes it first, and once more when it turns out to have stopped unseen. */
  async #inRunningSandbox<Answer>(
    owner: SandboxOwner,
    act: (sandbox: Sandbox) => Promise<Answer>,
  ): Promise<Answer | Refusal> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const woken = this.#wake(owner);
      if (isRefusal(woken)) return woken;
      if (woken === "starting") await this.#shell.settled(`start:${this.#store.load().generation}`);
      const sandbox = this.#store.load();
      if (sandbox.state !== "running") return refuse("SERVICE_UNAVAILABLE", sandbox.failure ?? startRefusal);
      const answer = await this.#whileThere(() => act(sandbox));
      if (answer !== undefined) return answer;
    }
    return refuse("SERVICE_UNAVAILABLE", startRefusal);
  }

  /** Asks the program of a sandbox that has to run already. */
  async #inAwakeSandbox<Value>(ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal> {
    const asleep = refuse("BAD_REQUEST", "The sandbox is not running. Request the preview to wake it, then try again.");
    if (this.#store.load().state !== "running") return asleep;
    this.#shell.decide((sandbox, now) => touch(sandbox, now));
    const answer = await this.#whileThere(ask);
    return answer === undefined ? asleep : unwrap(answer);
  }

  /** Undefined when the sandbox turns out to be gone, which is then known. */
  async #whileThere<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined> {
    const { generation } = this.#store.load();
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SandboxUnreachable)) throw error;
      this.#shell.decide((sandbox) => lost(sandbox, generation));
      return undefined;
    }
  }

  #remind(name: string): void {
    const { generation } = this.#store.load();
    if (name === "idle") this.#shell.decide(lookIdle);
    else this.#shell.decide((sandbox) => startFailed(sandbox, generation, "The sandbox took too long to start."));
  }

  async #perform(effect: Exclude<SandboxEffect, ReminderEffect>): Promise<void> {
    const { generation } = effect;
    const sandbox = this.#store.load();
    switch (effect.do) {
      case "start": {
        const { owner } = sandbox;
        if (!isStarting(sandbox) || sandbox.generation !== generation || !owner) return;
        const failure = await reasonOf(
          bringUpSandbox(this.env, { key: this.#key, sandbox: { ...sandbox, owner }, driver: this.#driver }),
        );
        this.#shell.decide((current, now) =>
          failure === null ? started(current, generation, now) : startFailed(current, generation, failure),
        );
        return;
      }
      case "save":
        if (sandbox.generation === generation && sandbox.state === "running") await this.#save(generation);
        return;
      case "pause":
        await this.#save(generation);
        await this.#end();
        this.#shell.decide((current) => paused(current, generation));
        return;
      case "end":
        if (sandbox.generation === generation) await this.#end();
        return;
    }
  }

  async #save(generation: number): Promise<void> {
    const archiveKey = await this.#whileThere(() => saveSandboxWork(this.env, this.#key, this.#program));
    if (archiveKey === undefined) return;
    const outcome = this.#shell.decide((sandbox) => saved(sandbox, { generation, archiveKey }));
    if (!isRefusal(outcome) && outcome.replaced !== null) await this.env.STORE.delete(outcome.replaced);
  }

  async #end(): Promise<void> {
    await this.#driver.stop();
    await releaseSlot(this.env.DB, this.#key);
  }
}

/** Null when it went well, else why it did not, for people. */
async function reasonOf(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof SandboxStartRefused) return error.message;
    console.error("sandbox start failed", error instanceof Error ? error.message : String(error));
    return startRefusal;
  }
}
