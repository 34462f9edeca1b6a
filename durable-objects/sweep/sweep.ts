// The object of a sweep: one per sweep. The platform limits the calls of an invocation, so each
// page is an invocation, and no sweep uses up the calls of another. The position after a page is
// stored before the next page starts, so a crash repeats a page, and loses none.

import { log } from "../../src/lib/log.ts";
import type { SweepName } from "../../src/sweeps/rules/sweep-name.ts";
import { sweeps } from "../../src/sweeps/schedule.ts";
import type { SweepPlace } from "../../src/sweeps/sweep.ts";
import { ServiceObject } from "../object/service-object.ts";
import type { SweepRpc } from "./rpc.ts";

interface Round extends SweepPlace {
  name: SweepName;
  /**
   * True if its last page failed. If a page fails twice, the round starts from the beginning, so
   * that what comes before that page is not neglected.
   */
  hasFailed: boolean;
}

/** A page that takes longer than this is ignored, and the next tick starts another. */
const pageMs = 5 * 60_000;

/** The time of a finished round is stored again only after this time, to save writes. */
const finishedStepMs = 5 * 60_000;

export class SweepObject extends ServiceObject implements SweepRpc {
  /** When the page in progress started; null for none. */
  #pageSince: number | null = null;

  async tick(name: SweepName, now: number): Promise<void> {
    const { kv } = this.ctx.storage;
    const round = kv.get<Round>("round");
    if (round !== undefined && (this.#isAtWork() || (await this.ctx.storage.getAlarm()) !== null)) return;
    kv.put<Round>("round", { hasFailed: false, after: "", ...round, name, now });
    await this.#workOn();
  }

  async findLastRound(): Promise<number | null> {
    return this.ctx.storage.kv.get<number>("finishedAt") ?? null;
  }

  override async alarm(): Promise<void> {
    await this.#workOn();
  }

  /**
   * Processes a page. Never throws, because the platform abandons an alarm that fails repeatedly.
   */
  async #workOn(): Promise<void> {
    const { kv } = this.ctx.storage;
    const round = kv.get<Round>("round");
    if (round === undefined || this.#isAtWork()) return;
    const since = Date.now();
    this.#pageSince = since;
    try {
      const after = await sweeps[round.name](this.env, { now: round.now, after: round.after });
      if (after === null) {
        kv.delete("round");
        const finishedAt = Date.now();
        if (finishedAt - (kv.get<number>("finishedAt") ?? 0) >= finishedStepMs) kv.put("finishedAt", finishedAt);
      } else {
        kv.put<Round>("round", { ...round, after, hasFailed: false });
        await this.ctx.storage.setAlarm(Date.now());
      }
    } catch (error) {
      log.warn("sweep.failed", { sweep: round.name, error });
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
