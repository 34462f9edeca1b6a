// The object of a sweep: one per sweep. The platform counts the calls of an invocation, so each
// page is one, and no sweep takes them from another. The place after a page is kept before the next
// one begins: a crash repeats a page, and loses none.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/lib/error-text.ts";
import type { SweepName } from "../../src/sweeps/rules/sweep-name.ts";
import { sweeps } from "../../src/sweeps/schedule.ts";
import type { SweepPlace } from "../../src/sweeps/sweep.ts";
import type { SweepRpc } from "./rpc.ts";

interface Round extends SweepPlace {
  name: SweepName;
  /**
   * True if its last page failed. A round whose page fails twice begins again, so that what is
   * before that page is not forgotten.
   */
  hasFailed: boolean;
}

/** A page that has not ended by then is left alone, and the next tick begins another. */
const pageMs = 5 * 60_000;

export class SweepObject extends DurableObject<Env> implements SweepRpc {
  /** When the page began that is at work; null for none. */
  #pageSince: number | null = null;

  async tick(name: SweepName, now: number): Promise<void> {
    const { kv } = this.ctx.storage;
    const round = kv.get<Round>("round");
    if (round !== undefined && (this.#isAtWork() || (await this.ctx.storage.getAlarm()) !== null)) return;
    kv.put<Round>("round", { hasFailed: false, after: "", ...round, name, now });
    await this.#workOn();
  }

  override async alarm(): Promise<void> {
    await this.#workOn();
  }

  /**
   * Works through a page. Never throws: the platform gives up an alarm that fails again and again.
   */
  async #workOn(): Promise<void> {
    const { kv } = this.ctx.storage;
    const round = kv.get<Round>("round");
    if (round === undefined || this.#isAtWork()) return;
    const since = Date.now();
    this.#pageSince = since;
    try {
      const after = await sweeps[round.name](this.env, { now: round.now, after: round.after });
      if (after === null) kv.delete("round");
      else {
        kv.put<Round>("round", { ...round, after, hasFailed: false });
        await this.ctx.storage.setAlarm(Date.now());
      }
    } catch (error) {
      console.error("sweep failed", round.name, reasonOf(error));
      if (round.hasFailed) kv.delete("round");
      else kv.put<Round>("round", { ...round, hasFailed: true });
    } finally {
      if (this.#pageSince === since) this.#pageSince = null;
    }
  }

  #isAtWork(): boolean {
    return this.#pageSince !== null && Date.now() - this.#pageSince < pageMs;
  }
}
