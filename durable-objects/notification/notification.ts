// The notification object: one per notification. Each alarm is one try, and sets the next alarm
// while a device has not received the notification. Once all have, it is stored for the rest of its
// hour, so that a repeat sends nothing.

import { log } from "../../src/lib/log.ts";
import { getWays } from "../../src/notification/notify.ts";
import {
  type DeviceToNotify,
  deleteNotification,
  recordTry,
  startTry,
} from "../../src/notification/queries/notifications.ts";
import { isHeld, isOver, type Notification, notificationBackoff } from "../../src/notification/rules/notification.ts";
import { getBackoffMs } from "../../src/rules/backoff.ts";
import { notificationLifetimeMs, seenGraceMs } from "../../src/rules/limits.ts";
import { ServiceObject } from "../object/service-object.ts";
import type { NotificationRpc } from "./rpc.ts";
import { sendToDevices } from "./send.ts";

export class NotificationObject extends ServiceObject implements NotificationRpc {
  readonly #kv = this.ctx.storage.kv;
  readonly #lacking = createLackingDevices(this.ctx.storage);
  #isTrying = false;

  async start(notice: Notification): Promise<void> {
    if (this.#kv.get("isDone") === true) return await deleteNotification(this.env.DB, notice.id);
    this.#kv.put("notice", notice);
    if (!this.#isTrying && (await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Never throws, because the platform abandons an alarm that fails repeatedly. */
  override async alarm(): Promise<void> {
    const notice = this.#kv.get<Notification>("notice");
    if (!notice) return;
    this.#isTrying = true;
    try {
      const nextAt = await this.#try(notice);
      if (nextAt === null) await this.ctx.storage.deleteAll();
      else await this.ctx.storage.setAlarm(nextAt);
    } finally {
      this.#isTrying = false;
    }
  }

  /** Makes one try. Returns the time of the next alarm; null if the notification is finished. */
  async #try(notice: Notification): Promise<number | null> {
    const overAt = notice.at + notificationLifetimeMs;
    const tries = (this.#kv.get<number>("tries") ?? 0) + 1;
    this.#kv.put("tries", tries);
    const nextAt = () => Math.min(Date.now() + getBackoffMs(tries, notificationBackoff), overAt);
    try {
      if (this.#kv.get("isDone") === true) return isOver(notice, Date.now()) ? null : overAt;
      if (isOver(notice, Date.now())) return await this.#giveUp(notice);
      const heldUntil = await this.#send(notice, nextAt());
      if (heldUntil !== null) return Math.min(nextAt(), heldUntil);
      this.#kv.put("isDone", true);
      return overAt;
    } catch (error) {
      log.warn("notification.delayed", { notificationId: notice.id, kind: notice.kind, error });
      return Math.max(nextAt(), Date.now() + getBackoffMs(1, notificationBackoff));
    }
  }

  /**
   * Sends to the devices that lack the notification. Null once every device has it; otherwise when
   * the next device may get it, or never for those that are tried again.
   */
  async #send(notice: Notification, nextAt: number): Promise<number | null> {
    const { DB } = this.env;
    const present = await startTry(DB, notice, { ways: getWays(this.env), nextAt });
    if (!this.#lacking.isKnown()) this.ctx.storage.transactionSync(() => this.#lacking.keep(present));
    const now = Date.now();
    const lacking = this.#lacking.among(present);
    const due = lacking.filter(({ userId }) => !isHeld(notice, userId, now));
    const reached: DeviceToNotify[] = [];
    const isDone = () => this.#lacking.count() === 0;
    try {
      await sendToDevices(this.env, notice, due, (device, isReached) => {
        this.#lacking.drop(device.token);
        if (isReached) reached.push(device);
      });
    } finally {
      // Those that have it are not tried again, even if others fail.
      await recordTry(DB, { reached, endedId: isDone() ? notice.id : null }, Date.now());
    }
    if (isDone()) return null;
    return due.length < lacking.length ? notice.at + seenGraceMs : Number.POSITIVE_INFINITY;
  }

  async #giveUp({ id, kind }: Notification): Promise<null> {
    await deleteNotification(this.env.DB, id);
    const devices = this.#lacking.isKnown() ? this.#lacking.count() : null;
    log.error("notification.expired", { notificationId: id, kind, devices });
    return null;
  }
}

/** The devices that have not received a notification, as its object stores them between tries. */
export interface LackingDevices {
  /** True once the first try has determined the devices. */
  isKnown(): boolean;
  /**
   * Stores the devices of the first try. A device that is registered later does not receive earlier
   * notifications.
   */
  keep(devices: readonly DeviceToNotify[]): void;
  /**
   * Those of `devices` that have not received the notification. Stored devices that are no longer
   * among `devices` are dropped.
   */
  among(devices: readonly DeviceToNotify[]): DeviceToNotify[];
  drop(token: string): void;
  count(): number;
}

/** Creates the stored devices of an object. */
function createLackingDevices({ sql, kv }: DurableObjectStorage): LackingDevices {
  sql.exec("CREATE TABLE IF NOT EXISTS devices (token TEXT PRIMARY KEY, user_id TEXT NOT NULL)");
  const all = () => sql.exec<{ token: string; user_id: string }>("SELECT token, user_id FROM devices").toArray();
  const drop = (token: string) => void sql.exec("DELETE FROM devices WHERE token = ?", token);
  return {
    isKnown: () => kv.get<boolean>("isKnown") === true,
    keep(devices) {
      for (const { token, userId } of devices) sql.exec("INSERT INTO devices VALUES (?, ?)", token, userId);
      kv.put("isKnown", true);
    },
    among(devices) {
      const present = new Map(devices.map((device) => [device.token, device]));
      return all().flatMap(({ token, user_id }) => {
        const device = present.get(token);
        if (device?.userId === user_id) return [device];
        drop(token);
        return [];
      });
    },
    drop,
    count: () => sql.exec<{ count: number }>("SELECT count(*) AS count FROM devices").one().count,
  };
}
