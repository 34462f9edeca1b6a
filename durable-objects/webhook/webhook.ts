// The webhook object: one per webhook. An event is stored before the call that brings it returns,
// and sent after it. What one invocation does not finish, the next alarm continues.
import migrations from "../../migrations/webhook/migrations.js";
import { createId } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { webhookTestsPerMinute } from "../../src/rules/limits.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import { notifyOfDisabled } from "../../src/webhook/disabled.ts";
import { findWebhookRow, recordWebhookStatus, type WebhookRow } from "../../src/webhook/queries.ts";
import {
  type Attempt,
  findDisabledReason,
  findHoldUntil,
  findNextAttemptAt,
  isDelivered,
  waitingMax,
} from "../../src/webhook/rules/attempts.ts";
import { formatBody, type WebhookEvent } from "../../src/webhook/rules/event.ts";
import type { DisabledReason } from "../../src/webhook/rules/status.ts";
import { unsealSecrets } from "../../src/webhook/secrets.ts";
import { isWorkspaceSuspended } from "../../src/workspace/queries/workspaces.ts";
import { getDatabase } from "../object/database.ts";
import { ServiceObject } from "../object/service-object.ts";
import { sendDelivery } from "./attempt.ts";
import type { Delivery, DeliveryFilter, ListedDelivery, WebhookHealth, WebhookRpc } from "./rpc.ts";
import { createDeliveryStore, type DeliveryRow } from "./store.ts";

/** How many deliveries are tried at the same time. */
const atOnce = 8;
/** The most attempts of one invocation. The platform limits the calls of an invocation. */
const attemptsPerInvocation = 40;
/** If the object stops during attempts, its alarm continues after this time. */
const leaseMs = 30_000;
/** For how long a read row is used. The routes announce each change, so this is for lost calls. */
const rereadMs = 60_000;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface Endpoint {
  row: WebhookRow;
  secrets: string[];
  /** True while the webhook's workspace is suspended. */
  isSuspended: boolean;
}

/** The disabling of the webhook, stored until everybody knows of it. */
interface Disabling {
  reason: DisabledReason;
  eventId: string;
  at: number;
}

export class WebhookObject extends ServiceObject implements WebhookRpc {
  readonly #deliveries = createDeliveryStore(getDatabase(this.ctx, migrations));
  readonly #kv = this.ctx.storage.kv;
  /** The ids of the deliveries that are being tried. */
  readonly #atWork = new Set<string>();
  #endpoint: Promise<Endpoint | null> | null = null;
  #readAt = 0;
  /** How many more attempts this invocation may start. */
  #attemptsLeft = 0;
  /** How many attempts have failed in a row. */
  #failures = 0;
  /** Nothing is sent before this time. */
  #restsUntil = 0;
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
    const waits = isDropped ? { status: "dropped" as const, dueAt: null } : { status: "waiting" as const, dueAt: now };
    this.ctx.storage.transactionSync(() => {
      for (const event of events) {
        const { id, type } = event;
        this.#deliveries.add({ id, type, body: formatBody(event, includeText), createdAt: now, tries: 0, ...waits });
      }
    });
    if (!isDropped && this.#deliveries.countWaiting() > waitingMax) await this.#disable("too_many_waiting");
    await this.#continue();
  }

  async sendTest(webhookId: string, event: WebhookEvent): Promise<Delivery | Refusal> {
    const endpoint = await this.#read(webhookId);
    if (!endpoint || this.#isDestroyed) return refuse("NOT_FOUND");
    const now = Date.now();
    const tests = (this.#kv.get<number[]>("tests") ?? []).filter((at) => now - at < minuteMs);
    if (tests.length >= webhookTestsPerMinute)
      return refuse("TOO_MANY_REQUESTS", `A webhook is tested at most ${webhookTestsPerMinute} times a minute.`);
    this.#kv.put("tests", [...tests, now]);
    const { id, type } = event;
    const body = formatBody(event, endpoint.row.includeText);
    const attempt = await sendDelivery(this.env, { id, body }, { url: endpoint.row.url, secrets: endpoint.secrets });
    if (this.#isDestroyed) return refuse("NOT_FOUND");
    const status = isDelivered(attempt) ? ("succeeded" as const) : ("failed" as const);
    this.ctx.storage.transactionSync(() => {
      this.#deliveries.add({ id, type, body, createdAt: now, tries: 1, triedSince: attempt.at, status });
      this.#deliveries.recordAttempt(id, attempt);
    });
    await this.#arm();
    return this.#deliveries.read(id) ?? refuse("NOT_FOUND");
  }

  async changed(webhookId: string): Promise<void> {
    this.#endpoint = null;
    this.#failures = 0;
    this.#restsUntil = 0;
    const endpoint = await this.#read(webhookId);
    if (endpoint?.row.status === "disabled" && !this.#isDestroyed) this.#deliveries.dropWaiting();
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
    await this.#continue();
    return isKnown;
  }

  async recover(range: { since: number; until: number }): Promise<number> {
    const recovered = this.#isDestroyed ? 0 : this.#deliveries.recover(range);
    await this.#continue();
    return recovered;
  }

  async wake(): Promise<void> {
    await this.#continue();
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (this.#isDestroyed) return;
    this.ctx.storage.transactionSync(() => this.#deliveries.deleteOld(Date.now()));
    await this.#continue();
  }

  /** Starts what is due, and sets the alarm for the rest. */
  async #continue(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#attemptsLeft = attemptsPerInvocation;
    const disabling = this.#kv.get<Disabling>("disabling");
    if (disabling) this.ctx.waitUntil(this.#spreadDisabling(disabling));
    this.#workOn();
    await this.#arm();
  }

  /**
   * Starts to send what is due, as many deliveries at the same time as there is room for. After a
   * failure it tries only one delivery first.
   */
  #workOn(): void {
    if (Date.now() < this.#restsUntil) return;
    const room = this.#failures === 0 ? atOnce : 1;
    while (this.#atWork.size < room && this.#attemptsLeft > 0) {
      const next = this.#deliveries.nextDue([...this.#atWork], Date.now());
      if (next === undefined) return;
      this.#attemptsLeft -= 1;
      this.#atWork.add(next.id);
      this.ctx.waitUntil(this.#workThrough(next));
    }
  }

  /** Tries a delivery once, then continues with what is due. Never throws. */
  async #workThrough(delivery: DeliveryRow): Promise<void> {
    try {
      await this.#tryOnce(delivery);
    } catch (error) {
      // Not the receiver's fault, so it is no attempt.
      log.warn("webhook_delivery.delayed", { webhookId: this.#webhookId, deliveryId: delivery.id, error });
      this.#restsUntil = Date.now() + minuteMs;
    }
    this.#atWork.delete(delivery.id);
    if (this.#isDestroyed) return;
    this.#workOn();
    await this.#arm();
  }

  async #tryOnce(delivery: DeliveryRow): Promise<void> {
    const endpoint = await this.#read();
    if (!endpoint) return await this.destroy();
    const { row, secrets, isSuspended } = endpoint;
    if (row.status === "disabled") return this.#deliveries.dropWaiting();
    // It waits until the suspension ends.
    if (isSuspended) {
      this.#restsUntil = Date.now() + minuteMs;
      return;
    }
    const attempt = await sendDelivery(this.env, delivery, { url: row.url, secrets });
    if (!this.#isDestroyed) await this.#note(delivery, attempt, row);
  }

  /** Stores the outcome of an attempt, and what it says about the webhook. */
  async #note(delivery: DeliveryRow, attempt: Attempt, { status }: WebhookRow): Promise<void> {
    const now = Date.now();
    const tries = delivery.tries + 1;
    const triedSince = delivery.triedSince ?? attempt.at;
    const isDone = isDelivered(attempt);
    const dueAt = isDone ? null : findNextAttemptAt(tries, attempt, { now, random: Math.random() });
    const outcome = isDone ? "succeeded" : dueAt === null ? "failed" : "waiting";
    this.ctx.storage.transactionSync(() => {
      this.#deliveries.recordAttempt(delivery.id, attempt);
      this.#deliveries.update(delivery, { tries, triedSince, dueAt, status: outcome });
      this.#kv.put(isDone ? "lastDeliveredAt" : "lastFailedAt", now);
    });
    if (isDone) {
      this.#failures = 0;
      this.#restsUntil = 0;
      return status === "failing" ? await this.#recordStatus("active", now) : undefined;
    }
    this.#failures += 1;
    this.#restsUntil = Math.max(this.#restsUntil, findHoldUntil(attempt, now) ?? 0);
    const succeededSince = (this.#kv.get<number>("lastDeliveredAt") ?? 0) >= triedSince;
    const reason = findDisabledReason(attempt, { isLast: dueAt === null, succeededSince });
    if (reason !== null) await this.#disable(reason);
    else if (status === "active") await this.#recordStatus("failing", now);
  }

  async #recordStatus(status: "active" | "failing", at: number): Promise<void> {
    await recordWebhookStatus(this.env.DB, this.#webhookId, { status, disabledReason: null, at });
    this.#endpoint = null;
  }

  /** Disables the webhook. What waits is dropped, and can be recovered. */
  async #disable(reason: DisabledReason): Promise<void> {
    const disabling = { reason, eventId: createId(), at: Date.now() };
    this.#kv.put("disabling", disabling);
    this.#deliveries.dropWaiting();
    await this.#spreadDisabling(disabling);
  }

  /** Safe to repeat. If it fails, the next alarm repeats it. */
  async #spreadDisabling({ reason, eventId, at }: Disabling): Promise<void> {
    if (this.#isSpreading) return;
    this.#isSpreading = true;
    const webhookId = this.#webhookId;
    try {
      await recordWebhookStatus(this.env.DB, webhookId, { status: "disabled", disabledReason: reason, at });
      this.#endpoint = null;
      const row = await findWebhookRow(this.env.DB, webhookId);
      if (row) await notifyOfDisabled(this.env, row, { reason, eventId, at });
      this.#kv.delete("disabling");
      log.warn("webhook_delivery.disabled", { webhookId, reason });
    } catch (error) {
      log.warn("webhook_delivery.delayed", { webhookId, error });
      await this.ctx.storage.setAlarm(Date.now() + minuteMs);
    } finally {
      this.#isSpreading = false;
    }
  }

  get #webhookId(): string {
    return this.#kv.get<string>("webhookId") ?? "";
  }

  /** The webhook's row and its secrets; null once it is deleted. */
  #read(webhookId = this.#webhookId): Promise<Endpoint | null> {
    if (this.#endpoint && Date.now() - this.#readAt < rereadMs) return this.#endpoint;
    if (webhookId !== this.#webhookId) this.#kv.put("webhookId", webhookId);
    this.#readAt = Date.now();
    const reading = this.#load(webhookId);
    this.#endpoint = reading;
    reading.catch(() => {
      if (this.#endpoint === reading) this.#endpoint = null;
    });
    return reading;
  }

  async #load(webhookId: string): Promise<Endpoint | null> {
    const { DB } = this.env;
    const row = await findWebhookRow(DB, webhookId);
    if (row === null) return null;
    const secrets = await unsealSecrets(this.env, row, Date.now());
    return { row, secrets, isSuspended: await isWorkspaceSuspended(DB, row.workspaceId) };
  }

  /** Sets the alarm for the next attempt, or else for the time when the log is tidied. */
  async #arm(): Promise<void> {
    const dueAt = this.#deliveries.findDueAt();
    if (dueAt !== null) {
      const busyUntil = this.#atWork.size > 0 ? Date.now() + leaseMs : this.#restsUntil;
      return await this.ctx.storage.setAlarm(Math.max(dueAt, busyUntil, 1));
    }
    if (this.#deliveries.isEmpty()) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Date.now() + dayMs);
  }
}
