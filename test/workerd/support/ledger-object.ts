// The smallest object around the shell: a sum, effects that are recorded when they are performed,
// and effects that fail a set number of times, or wait.

import { getDatabase } from "../../../durable-objects/object/database.ts";
import { createParking } from "../../../durable-objects/object/parking.ts";
import { ServiceObject } from "../../../durable-objects/object/service-object.ts";
import { createShell } from "../../../durable-objects/object/shell.ts";
import migrations from "../../../migrations/sandbox/migrations.js";
import { decided } from "../../../src/rules/decision.ts";
import type { Reminder } from "../../../src/rules/effect.ts";
import { WaitingError } from "../../../src/rules/parking.ts";
import { refuse } from "../../../src/rules/refusal.ts";

type LedgerEffect = { type: "note"; id: string; text: string } | Reminder<"first" | "second">;

export class LedgerObject extends ServiceObject<Cloudflare.Env> {
  /** The effects that the next performed effect requests right after itself. */
  #afterNext: LedgerEffect[] = [];
  /** Settles once effects whose text is "held" may continue. */
  readonly #release = Promise.withResolvers<void>();
  readonly #kv = this.ctx.storage.kv;
  readonly #shell = createShell<number, LedgerEffect>(this.ctx, getDatabase(this.ctx, migrations), {
    load: () => this.#kv.get<number>("sum") ?? 0,
    save: (_, sum) => this.#kv.put("sum", sum),
    perform: (effect) => this.#perform(effect),
    parking: createParking(this.ctx, this.env, "session"),
    remind: async (name) => this.#remind(name),
  });

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#shell.resume());
  }

  /** Adds a number, unless it is negative, and requests the effects. */
  async add(number: number, effects: LedgerEffect[] = []) {
    return this.#shell.decide((sum) =>
      number < 0 ? refuse("BAD_REQUEST", "negative") : decided(sum + number, sum + number, effects),
    );
  }

  /** Adds a number and fails before the decision is stored. */
  async addAndBreak(number: number, effects: LedgerEffect[]): Promise<string> {
    try {
      this.#shell.decide((sum) => decided(sum + number, null, [...effects, undefined as unknown as LedgerEffect]));
      return "kept";
    } catch {
      return "broken";
    }
  }

  /** The next performed effect requests these as soon as the outbox has been checked for more. */
  async askBehindNext(effects: LedgerEffect[]): Promise<void> {
    this.#afterNext = effects;
  }

  /** The next performances of an effect, or firings of a reminder, fail this many times. */
  async failNext(times: number): Promise<void> {
    this.#kv.put("failures", times);
  }

  /** Requests an effect that is not stored. */
  async attempt(effect: Extract<LedgerEffect, { type: "note" }>): Promise<void> {
    this.#shell.attempt(effect);
  }

  /** Releases the waiting effects. */
  async release(): Promise<void> {
    this.#release.resolve();
  }

  async sum(): Promise<number> {
    return this.#kv.get<number>("sum") ?? 0;
  }

  async notes(): Promise<string[]> {
    return this.#kv.get<string[]>("notes") ?? [];
  }

  async performed(ids: string[]): Promise<string[]> {
    return ids.filter((id) => this.#shell.settled({ type: "note", id }) !== null);
  }

  async settled(id: string): Promise<void> {
    await this.#shell.settled({ type: "note", id });
  }

  async retryParked(): Promise<number> {
    return await this.#shell.retryParked();
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }

  async #perform(effect: Exclude<LedgerEffect, Reminder<"first" | "second">>): Promise<void> {
    if (effect.text === "held") await this.#release.promise;
    if (effect.text === "waits") throw new WaitingError("nothing is free");
    this.#note(effect.text);
    const asked = this.#afterNext.splice(0);
    // The second of two microtasks runs after the one in which the shell continues.
    if (asked.length > 0) queueMicrotask(() => queueMicrotask(() => this.add(1, asked)));
  }

  #remind(name: string): void {
    this.#note(`reminded of ${name}`);
  }

  #note(text: string): void {
    const failures = this.#kv.get<number>("failures") ?? 0;
    if (failures > 0) {
      this.#kv.put("failures", failures - 1);
      this.#kv.put("notes", [...(this.#kv.get<string[]>("notes") ?? []), `failed: ${text}`]);
      throw new Error("told to fail");
    }
    this.#kv.put("notes", [...(this.#kv.get<string[]>("notes") ?? []), text]);
  }
}
