// The webhook inbox: one per repository. A webhook is stored before the response and processed
// after it, because the code host resends a failed delivery only on request. What one invocation
// does not finish, the next alarm continues.

import { and, asc, eq, lte, max, min, notInArray, type SQL } from "drizzle-orm";
import migrations from "../../migrations/code-host/migrations.js";
import {
  deliveryKnownMs,
  findNextTryAt,
  getInboxDelayMs,
  type StoredWebhook,
  type Webhook,
} from "../../src/code-host/rules/webhook.ts";
import { log } from "../../src/lib/log.ts";
import { getDatabase } from "../object/database.ts";
import { ServiceObject } from "../object/service-object.ts";
import { handleWebhook } from "./handle-webhook.ts";
import type { WebhookInboxRpc } from "./rpc.ts";
import { deliveries } from "./tables.ts";

/**
 * How many deliveries are processed at the same time. One that waits for a silent code host leaves
 * room for the others.
 */
const atOnce = 8;
/**
 * The most pages that one invocation processes. Each makes at most about fifty calls, and the
 * platform limits the calls of an invocation.
 */
const pagesPerInvocation = 10;
/**
 * If the object stops during work, its alarm continues with the waiting deliveries after this time.
 */
const leaseMs = 10_000;

type Delivery = typeof deliveries.$inferSelect;

export class WebhookInboxObject extends ServiceObject implements WebhookInboxRpc {
  readonly #db = getDatabase(this.ctx, migrations);
  /** The ids of the deliveries that are being processed. */
  readonly #atWork = new Set<string>();
  /** How many more pages this invocation may start. */
  #pagesLeft = 0;
  /** How many tries have failed in a row. */
  #failures = 0;
  /** The inbox starts nothing before this time. */
  #pausedUntil = 0;

  async receive(delivery: string, webhook: Webhook): Promise<void> {
    const now = Date.now();
    const row = { id: delivery, webhook, receivedAt: now, attempts: 0, dueAt: now };
    this.#db.insert(deliveries).values(row).onConflictDoNothing().run();
    this.#pagesLeft = pagesPerInvocation;
    this.#workOn();
    await this.#arm();
  }

  async wake(): Promise<void> {
    this.#pagesLeft = pagesPerInvocation;
    this.#workOn();
    await this.#arm();
  }

  override async alarm(): Promise<void> {
    const forgotten = lte(deliveries.receivedAt, Date.now() - deliveryKnownMs);
    this.#db.delete(deliveries).where(forgotten).run();
    await this.wake();
  }

  /**
   * Starts to process what is due, as many deliveries at the same time as there is room for. After
   * a failure it tries only one delivery first.
   */
  #workOn(): void {
    if (Date.now() < this.#pausedUntil) return;
    const room = this.#failures === 0 ? atOnce : 1;
    while (this.#atWork.size < room && this.#pagesLeft > 0) {
      const next = this.#nextDue();
      if (next === undefined) return;
      this.#pagesLeft -= 1;
      this.#atWork.add(next.id);
      this.ctx.waitUntil(this.#workThrough(next));
    }
  }

  /**
   * Deliveries that were never tried come first, so that a new one does not wait for failing ones.
   */
  #nextDue(): Delivery | undefined {
    const isDue = and(lte(deliveries.dueAt, Date.now()), notInArray(deliveries.id, [...this.#atWork]));
    const first = (which: SQL | undefined) =>
      this.#db.select().from(deliveries).where(which).orderBy(asc(deliveries.dueAt)).limit(1).get();
    return first(and(isDue, eq(deliveries.attempts, 0))) ?? first(isDue);
  }

  /** Processes one page of a delivery, then continues with what is due. Never throws. */
  async #workThrough({ id, webhook: stored, receivedAt, attempts }: Delivery): Promise<void> {
    let dueAt: number | null = null;
    let webhook = stored;
    try {
      const progress = webhook && (await handleWebhook(this.env, webhook, id));
      if (webhook && progress && progress.left.length > 0)
        return await this.#saveProgress(id, { ...webhook, telling: progress });
      if (webhook && progress) {
        const { failed, event } = progress;
        webhook = { ...webhook, telling: { left: failed, failed: [], event } };
        throw new Error(`${failed.length} could not be notified`);
      }
      this.#failures = 0;
      this.#pausedUntil = 0;
    } catch (error) {
      this.#failures += 1;
      this.#pausedUntil = Date.now() + getInboxDelayMs(this.#failures);
      dueAt = findNextTryAt({ receivedAt, attempts: attempts + 1 }, Date.now());
      const failed = { webhookId: id, attempts: attempts + 1, error };
      if (dueAt === null) log.error("webhook.dropped", failed);
      else log.warn("webhook.delayed", failed);
    }
    this.#db
      .update(deliveries)
      .set({ attempts: attempts + 1, dueAt, webhook: dueAt === null ? null : webhook })
      .where(eq(deliveries.id, id))
      .run();
    await this.#release(id);
  }

  /**
   * Stores the progress of a delivery. Its next page is due now, after deliveries that arrived
   * meanwhile.
   */
  async #saveProgress(id: string, webhook: StoredWebhook): Promise<void> {
    this.#db.update(deliveries).set({ webhook, dueAt: Date.now() }).where(eq(deliveries.id, id)).run();
    await this.#release(id);
  }

  async #release(id: string): Promise<void> {
    this.#atWork.delete(id);
    this.#workOn();
    await this.#arm();
  }

  /** Sets the alarm for the next try, or else for the time when the last id is forgotten. */
  async #arm(): Promise<void> {
    // Two queries: SQLite finds one end of a column by its index, but reads the whole table to find
    // both ends in one query.
    const due =
      this.#db
        .select({ at: min(deliveries.dueAt) })
        .from(deliveries)
        .get()?.at ?? null;
    if (due !== null) {
      const busyUntil = this.#atWork.size > 0 ? Date.now() + leaseMs : this.#pausedUntil;
      return await this.ctx.storage.setAlarm(Math.max(due, busyUntil));
    }
    const last =
      this.#db
        .select({ at: max(deliveries.receivedAt) })
        .from(deliveries)
        .get()?.at ?? null;
    if (last !== null) await this.ctx.storage.setAlarm(last + deliveryKnownMs);
    else await this.ctx.storage.deleteAlarm();
  }
}
