// The webhook object: one per webhook. An event is stored before the call that brings it returns,
// and sent after it. What one invocation does not finish, the next alarm continues.
import migrations from "../../migrations/webhook/migrations.js";
import { createId } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { webhookTestsPerMinute } from "../../src/rules/limits.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { notifyOfDisabled } from "../../src/webhook/disabled.ts";
import { findWebhookRow, recordWebhookStatus } from "../../src/webhook/queries.ts";
import {
  type Attempt,
  findDisabledReason,
  findHoldUntil,
  isDelivered,
  waitingMax,
} from "../../src/webhook/rules/attempts.ts";
import { formatBody, type WebhookEvent } from "../../src/webhook/rules/event.ts";
import type { DisabledReason } from "../../src/webhook/rules/status.ts";
import { getDatabase } from "../object/database.ts";
import { ServiceObject } from "../object/service-object.ts";
import { type Ended, sendDelivery, toOutcome } from "./attempt.ts";
import { type Endpoint, readEndpoint } from "./endpoint.ts";
import { createNextDeliveries } from "./next-deliveries.ts";
import type { Delivery, DeliveryFilter, ListedDelivery, WebhookHealth, WebhookRpc } from "./rpc.ts";
import { createDeliveryStore, type DeliveryRow, type Outcome } from "./store.ts";

/** How many deliveries are tried at the same time. */
const atOnce = 8;
/** Attempts that end within this time are stored in one commit, which costs more than its rows. */
const storeAfterMs = 50;
/** The most attempts of one invocation. The platform allows 1,000 calls of an invocation. */
const attemptsPerInvocation = 400;
/** If the object stops during attempts, its alarm continues after this time. */
const leaseMs = 30_000;
/** For how long a read row is used. The routes announce each change, so this is for lost calls. */
const rereadMs = 60_000;
const minuteMs = 60_000;
/** How often an object that is in use deletes what is too old for its log, and too much. */
const tidyEveryMs = 60 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

/** The disabling of the webhook, stored until everybody knows it. `isRecorded`: its row does. */
interface Disabling {
  reason: DisabledReason;
  eventId: string;
  at: number;
  isRecorded?: true;
}

export class WebhookObject extends ServiceObject implements WebhookRpc {
  readonly #deliveries = createDeliveryStore(this.ctx.storage.sql, getDatabase(this.ctx, migrations));
  readonly #next = createNextDeliveries(this.#deliveries);
  readonly #kv = this.ctx.storage.kv;
  /** The ids of the deliveries that are being tried, or whose last attempt is not stored yet. */
  readonly #atWork = new Set<string>();
  /** How many deliveries are being tried. */
  #sending = 0;
  /** The attempts that have ended since the last ones were stored. */
  #ended: Ended[] = [];
  /** Settles when the attempts that have ended are stored; null if there are none. */
  #storing: Promise<void> | null = null;
  #endpoint: Promise<Endpoint | null> | null = null;
  #readAt = 0;
  #webhookId = this.#kv.get<string>("webhookId") ?? "";
  /** When the alarm is set for; undefined if that is unknown. */
  #alarmAt: number | undefined;
  #tidiedAt = 0;
  /** How many deliveries may be added before those that wait are counted again. */
  #uncounted = 0;
  /** How many more attempts this invocation may start. */
  #attemptsLeft = 0;
  /** How many attempts have failed in a row. Of those before a restart, only one counts. */
  #failures = (this.#kv.get<number>("lastFailedAt") ?? -1) >= (this.#kv.get<number>("lastDeliveredAt") ?? 0) ? 1 : 0;
  /** Nothing is sent before this time. */
  #restsUntil = this.#failures > 0 ? (this.#kv.get<number>("restsUntil") ?? 0) : 0;
  /** True while others are notified that the webhook is disabled. */
  #isSpreading = false;
  /** True once everything is deleted, until the platform ends this instance. */
  #isDestroyed = false;

  async take(webhookId: string, events: readonly WebhookEvent[]): Promise<void> {
    const endpoint = await this.#read(webhookId);
    if (!endpoint || this.#isDestroyed) return;
    const { includeText, status } = endpoint.row;
    const now = Date.now();
    const isDropped = status === "disabled";
    const added = this.#deliveries.add(
      events.map((event) => ({ id: event.id, type: event.type, body: formatBody(event, includeText) })),
      { createdAt: now, dueAt: isDropped ? null : now },
    );
    const isNextKnown = !isDropped && this.#next.add(added);
    if (!isDropped && this.#hasTooMany(events.length)) await this.#disable("too_many_waiting");
    await this.#continue(isNextKnown);
  }

  async sendTest(webhookId: string, event: WebhookEvent): Promise<Delivery | Refusal> {
    const endpoint = await this.#read(webhookId);
    if (!endpoint || this.#isDestroyed) return refuse("NOT_FOUND");
    const now = Date.now();
    const tests = (this.#kv.get<number[]>("tests") ?? []).filter((at) => now - at < minuteMs);
    const [oldest = now] = tests;
    if (tests.length >= webhookTestsPerMinute)
      return {
        ...refuse("TOO_MANY_REQUESTS", `A webhook is tested at most ${webhookTestsPerMinute} times a minute.`),
        retryAfterSeconds: Math.ceil((oldest + minuteMs - now) / 1_000),
      };
    this.#kv.put("tests", [...tests, now]);
    const { id, type } = event;
    const body = formatBody(event, endpoint.row.includeText);
    const attempt = await sendDelivery({ id, body }, endpoint.receiver);
    if (this.#isDestroyed) return refuse("NOT_FOUND");
    const status = isDelivered(attempt) ? ("succeeded" as const) : ("failed" as const);
    this.#deliveries.addTried({ id, type, body }, { createdAt: now, status, attempt });
    await this.#arm();
    return this.#deliveries.read(id) ?? refuse("NOT_FOUND");
  }

  async changed(webhookId: string): Promise<void> {
    this.#endpoint = null;
    this.#failures = 0;
    this.#restsUntil = 0;
    this.#kv.delete("restsUntil");
    const endpoint = await this.#read(webhookId);
    if (endpoint?.row.status === "disabled" && !this.#isDestroyed) this.#dropWaiting();
    // A person has enabled it again, before everybody knew that it was disabled.
    else if (this.#kv.get<Disabling>("disabling")?.isRecorded) this.#kv.delete("disabling");
    await this.#continue();
  }

  async health(): Promise<WebhookHealth> {
    return {
      lastDeliveredAt: this.#kv.get<number>("lastDeliveredAt") ?? null,
      lastFailedAt: this.#kv.get<number>("lastFailedAt") ?? null,
      waiting: this.#isDestroyed ? 0 : this.#deliveries.countWaiting(),
    };
  }

  async list(filter: DeliveryFilter): Promise<{ deliveries: ListedDelivery[]; total: number }> {
    return this.#isDestroyed ? { deliveries: [], total: 0 } : this.#deliveries.list(filter);
  }

  async read(id: string): Promise<Delivery | null> {
    return this.#isDestroyed ? null : this.#deliveries.read(id);
  }

  async resend(id: string): Promise<boolean> {
    const isKnown = !this.#isDestroyed && this.#deliveries.resend(id);
    this.#uncounted = 0;
    await this.#continue();
    return isKnown;
  }

  async recover(range: { since: number; until: number }): Promise<number> {
    const recovered = this.#isDestroyed ? 0 : this.#deliveries.recover(range);
    this.#uncounted = 0;
    await this.#continue();
    return recovered;
  }

  async wake(): Promise<void> {
    await this.#continue();
  }

  async delete(): Promise<void> {
    this.#isDestroyed = true;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (this.#isDestroyed) return;
    const now = Date.now();
    this.#alarmAt = undefined;
    // It reads the whole log, so an object that is in use does it rarely.
    if (now - this.#tidiedAt >= tidyEveryMs) {
      this.#tidiedAt = now;
      this.ctx.storage.transactionSync(() => this.#deliveries.deleteOld(now));
    }
    await this.#continue();
  }

  /** True if more deliveries wait than may. They are counted only if the new ones could be it. */
  #hasTooMany(added: number): boolean {
    this.#uncounted -= added;
    if (this.#uncounted >= 0) return false;
    const waiting = this.#deliveries.countWaiting();
    this.#uncounted = waitingMax - waiting;
    return waiting > waitingMax;
  }

  #dropWaiting(): void {
    this.#next.clear();
    this.#deliveries.dropWaiting();
  }

  /**
   * Starts what is due, and sets the alarm for the rest. What is due is read again, unless the next
   * ones are known.
   */
  async #continue(isNextKnown = false): Promise<void> {
    if (this.#isDestroyed) return;
    this.#attemptsLeft = attemptsPerInvocation;
    if (!isNextKnown) this.#next.clear();
    const disabling = this.#kv.get<Disabling>("disabling");
    if (disabling) this.ctx.waitUntil(this.#spreadDisabling(disabling));
    this.#workOn();
    await this.#arm();
  }

  /**
   * Starts to send what is due, as many deliveries at the same time as there is room for. After a
   * failure it tries only one delivery first, and stores its attempt before the next one.
   */
  #workOn(): void {
    if (Date.now() < this.#restsUntil) return;
    const room = this.#failures === 0 ? atOnce - this.#sending : 1 - this.#atWork.size;
    for (let left = Math.min(room, this.#attemptsLeft); left > 0; left--) {
      const next = this.#next.take(this.#atWork);
      if (!next) return;
      this.#attemptsLeft -= 1;
      this.#sending += 1;
      this.#atWork.add(next.id);
      this.ctx.waitUntil(this.#workThrough(next));
    }
  }

  /** Tries a delivery once, then continues with what is due. Never throws. */
  async #workThrough(delivery: DeliveryRow): Promise<void> {
    const attempt = await this.#tryOnce(delivery).catch((error) => this.#restAfter(error));
    this.#sending -= 1;
    if (attempt === null) return await this.#continueAfter([delivery.id]);
    this.#ended.push({ delivery, attempt });
    this.#adaptTo(attempt);
    this.#storing ??= scheduler.wait(storeAfterMs).then(() => this.#storeEnded());
    if (!this.#isDestroyed) this.#workOn();
    await this.#storing;
  }

  /** Slows down after a failure, until an attempt succeeds. */
  #adaptTo(attempt: Attempt): void {
    const hasSucceeded = isDelivered(attempt);
    this.#failures = hasSucceeded ? 0 : this.#failures + 1;
    const holdUntil = findHoldUntil(attempt, Date.now()) ?? 0;
    this.#restsUntil = hasSucceeded ? 0 : Math.max(this.#restsUntil, holdUntil);
  }

  /** A failure that is not the receiver's fault is no attempt. */
  #restAfter(error: unknown): null {
    log.warn("webhook_delivery.delayed", { webhookId: this.#webhookId, error });
    this.#restsUntil = Date.now() + minuteMs;
    // It waits with the others, which the next read has in their order.
    this.#next.clear();
    return null;
  }

  /** Continues with what is due, after these deliveries. */
  async #continueAfter(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#atWork.delete(id);
    if (this.#isDestroyed) return;
    this.#workOn();
    await this.#arm();
  }

  /** Sends a delivery; null if it is not sent now. */
  async #tryOnce(delivery: DeliveryRow): Promise<Attempt | null> {
    const endpoint = await this.#read();
    if (!endpoint) {
      await this.delete();
      return null;
    }
    const { row, receiver, isSuspended } = endpoint;
    if (row.status === "disabled") this.#dropWaiting();
    // It waits until the suspension ends.
    else if (isSuspended) this.#restsUntil = Date.now() + minuteMs;
    else return await sendDelivery(delivery, receiver);
    return null;
  }

  /** Stores the attempts that have ended, and what they say about the webhook. Never throws. */
  async #storeEnded(): Promise<void> {
    const ended = this.#ended;
    this.#ended = [];
    this.#storing = null;
    if (this.#isDestroyed) return;
    try {
      await this.#note(ended);
    } catch (error) {
      this.#restAfter(error);
    }
    await this.#continueAfter(ended.map(({ delivery }) => delivery.id));
  }

  async #note(ended: readonly Ended[]): Promise<void> {
    const now = Date.now();
    const outcomes = ended.map((one) => toOutcome(one, now));
    const succeeded = outcomes.filter(({ attempt }) => isDelivered(attempt));
    this.ctx.storage.transactionSync(() => {
      this.#deliveries.recordOutcomes(outcomes);
      if (succeeded.length > 0) this.#kv.put("lastDeliveredAt", now);
      if (succeeded.length === outcomes.length) return;
      this.#kv.put("lastFailedAt", now);
      // A later success ends the rest, so that a success writes nothing for it.
      if ((this.#kv.get("restsUntil") ?? 0) !== this.#restsUntil) this.#kv.put("restsUntil", this.#restsUntil);
    });
    // What failed becomes due again.
    if (succeeded.length < outcomes.length) this.#next.clear();
    await this.#judge(outcomes, now);
  }

  /** Disables the webhook if attempts say so, or records whether it fails now. */
  async #judge(outcomes: readonly Outcome[], now: number): Promise<void> {
    for (const { attempt, change } of outcomes) {
      if (isDelivered(attempt)) continue;
      const succeededSince = (this.#kv.get<number>("lastDeliveredAt") ?? 0) >= change.triedSince;
      const reason = findDisabledReason(attempt, { isLast: change.dueAt === null, succeededSince });
      if (reason !== null) return await this.#disable(reason);
    }
    const status = this.#failures === 0 ? "active" : "failing";
    const { row } = (await this.#read()) ?? {};
    if (row && row.status !== "disabled" && row.status !== status) await this.#recordStatus(status, now);
  }

  async #recordStatus(status: "active" | "failing", at: number): Promise<void> {
    await recordWebhookStatus(this.env.DB, this.#webhookId, { status, disabledReason: null, at });
    this.#endpoint = null;
  }

  /**
   * Disables the webhook. What waits is dropped, and can be recovered. Of attempts at the same
   * time, only the first one does it, so that others learn of it once.
   */
  async #disable(reason: DisabledReason): Promise<void> {
    const endpoint = await this.#read();
    if (endpoint?.row.status === "disabled" || this.#kv.get("disabling")) return;
    const disabling = { reason, eventId: createId(), at: Date.now() };
    this.#kv.put("disabling", disabling);
    this.#dropWaiting();
    await this.#spreadDisabling(disabling);
  }

  /** Safe to repeat. If it fails, the next alarm repeats it. */
  async #spreadDisabling({ isRecorded, ...disabling }: Disabling): Promise<void> {
    if (this.#isSpreading) return;
    this.#isSpreading = true;
    const [webhookId, { reason, at }] = [this.#webhookId, disabling];
    try {
      if (!isRecorded)
        await recordWebhookStatus(this.env.DB, webhookId, { status: "disabled", disabledReason: reason, at });
      this.#kv.put("disabling", { ...disabling, isRecorded: true });
      this.#endpoint = null;
      const row = await findWebhookRow(this.env.DB, webhookId);
      if (row) await notifyOfDisabled(this.env, row, disabling);
      this.#kv.delete("disabling");
      log.warn("webhook_delivery.disabled", { webhookId, reason });
    } catch (error) {
      log.warn("webhook_delivery.delayed", { webhookId, error });
      await this.#arm();
    } finally {
      this.#isSpreading = false;
    }
  }

  /** The webhook's row and its secrets; null once it is deleted. */
  #read(webhookId = this.#webhookId): Promise<Endpoint | null> {
    if (this.#endpoint && Date.now() - this.#readAt < rereadMs) return this.#endpoint;
    if (webhookId !== this.#webhookId) {
      this.#webhookId = webhookId;
      this.#kv.put("webhookId", webhookId);
    }
    this.#readAt = Date.now();
    const reading = readEndpoint(this.env, webhookId);
    this.#endpoint = reading;
    reading.catch(() => {
      if (this.#endpoint === reading) this.#endpoint = null;
    });
    return reading;
  }

  /** Sets the alarm for the next attempt, or else for the time when the log is tidied. */
  async #arm(): Promise<void> {
    const now = Date.now();
    if (this.#atWork.size > 0) {
      // It is needed only if the object stops, so one that is already set earlier stays.
      const isSet = this.#alarmAt !== undefined && this.#alarmAt <= now + leaseMs;
      return isSet ? undefined : await this.#setAlarm(now + leaseMs);
    }
    const dueAt = this.#deliveries.findDueAt();
    if (dueAt !== null) return await this.#setAlarm(Math.max(dueAt, this.#restsUntil, 1));
    // Others do not know yet that it is disabled.
    if (this.#kv.get("disabling")) return await this.#setAlarm(now + minuteMs);
    if (!this.#deliveries.isEmpty()) return await this.#setAlarm(now + dayMs);
    this.#alarmAt = undefined;
    await this.ctx.storage.deleteAlarm();
  }

  async #setAlarm(at: number): Promise<void> {
    this.#alarmAt = at;
    await this.ctx.storage.setAlarm(at);
  }
}
