// The notice object: one per notice. Each alarm is one try, and sets the next one while a device lacks the notice. When none does, it is kept
// for the rest of its hour, so that a repeat sends nothing.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/error-text.ts";
import { beginTry, forgetNotice } from "../../src/notification/queries-push-notices.ts";
import { isOver, type Notice } from "../../src/notification/rules/notification.ts";
import { noticeLifetimeMs } from "../../src/rules/limits.ts";
import { pauseAfter } from "../../src/rules/push/pauses.ts";
import { openLackingDevices } from "./notification-devices.ts";
import type { NoticeRpc } from "./rpc.ts";
import { sendToDevices } from "./send.ts";

export class NoticeObject extends DurableObject<Env> implements NoticeRpc {
  readonly #kv = this.ctx.storage.kv;
  readonly #lacking = openLackingDevices(this.ctx.storage);
  #isTrying = false;

  async begin(notice: Notice): Promise<void> {
    if (this.#kv.get("isDone") === true) return await forgetNotice(this.env.DB, notice.id);
    this.#kv.put("notice", notice);
    if (!this.#isTrying && (await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Never throws: the platform gives an alarm up that fails again and again. */
  override async alarm(): Promise<void> {
    const notice = this.#kv.get<Notice>("notice");
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

  /** One try. Answers the time of the next alarm; null if the notice is over. */
  async #try(notice: Notice): Promise<number | null> {
    const overAt = notice.at + noticeLifetimeMs;
    const tries = (this.#kv.get<number>("tries") ?? 0) + 1;
    this.#kv.put("tries", tries);
    const nextAt = () => Math.min(Date.now() + pauseAfter(tries), overAt);
    try {
      if (this.#kv.get("isDone") === true) return isOver(notice, Date.now()) ? null : overAt;
      if (isOver(notice, Date.now())) return await this.#giveUp(notice);
      if (!(await this.#send(notice, nextAt()))) return nextAt();
      await forgetNotice(this.env.DB, notice.id);
      this.#kv.put("isDone", true);
      return overAt;
    } catch (error) {
      console.error("a notice is tried again", notice.id, notice.kind, reasonOf(error));
      return Math.max(nextAt(), Date.now() + pauseAfter(1));
    }
  }

  /** True once no device lacks the notice. */
  async #send(notice: Notice, nextAt: number): Promise<boolean> {
    const present = await beginTry(this.env.DB, notice, nextAt);
    if (!this.#lacking.isKnown()) this.ctx.storage.transactionSync(() => this.#lacking.keep(present));
    await sendToDevices(this.env, notice, this.#lacking.among(present), ({ token }) => this.#lacking.drop(token));
    return this.#lacking.count() === 0;
  }

  async #giveUp({ id, kind }: Notice): Promise<null> {
    await forgetNotice(this.env.DB, id);
    const left = this.#lacking.isKnown() ? `${this.#lacking.count()} devices lack it` : "no device was found";
    console.error("a notice is given up after an hour", id, kind, left);
    return null;
  }
}
