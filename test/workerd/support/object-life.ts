// A session object's random life: messages are sent, steered, run and stopped while the object is
// evicted and killed. A simple model predicts every accepted message.
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { isUnfinished } from "../../../src/chat/rules/turn.ts";
import { queueSize } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { TurnEvent, TurnOutcome } from "../../../src/sandbox-protocol/protocol.ts";
import type { RandomSource } from "../../support/random-source.ts";
import { beginSession, by, type SessionDriver, started } from "./session-driver.ts";

const models = { runnable: new Set(["anthropic"] as const) };
const completed: TurnOutcome = { status: "completed" };
const failed: TurnOutcome = { status: "failed", error: "It failed.", errorCode: null };

/** The expected state of the session; messages are identified by their text. */
interface Account {
  accepted: string[];
  said: string[];
  waiting: string[];
  handed: string[];
  turnIds: string[];
  isRunning: boolean;
  isPaused: boolean;
  isUnderReview: boolean;
}

export interface ObjectLife {
  driver: SessionDriver;
  account: Account;
  /** How often each action was performed. */
  deeds: Map<string, number>;
  /** Performs a random action, and compares the session with the model. */
  step(): Promise<void>;
  /** Lets every queued message run. */
  runOut(): Promise<void>;
}

/** Starts a life. */
export async function beginLife(random: RandomSource): Promise<ObjectLife> {
  const driver = await beginSession();
  const account: Account = {
    accepted: [],
    said: [],
    waiting: [],
    handed: [],
    turnIds: [],
    isRunning: false,
    isPaused: false,
    isUnderReview: false,
  };
  const deeds = new Map<string, number>();
  let link: Awaited<ReturnType<SessionDriver["link"]>> | null = null;
  /** The sandbox's journal of the running turn. */
  let journal: TurnEvent[] = [];

  /**
   * The sandbox's end of the link, dialled again when it broke; it sends what the service has not
   * stored yet.
   */
  async function linked() {
    if (link === null || link.closeCode() !== null) {
      link = await driver.link(account.turnIds.at(-1) ?? "");
      for (let seq = (link.acked() ?? 0) + 1; seq <= journal.length; seq++) await tellAgain(seq);
    }
    return link;
  }

  async function tellAgain(seq: number): Promise<void> {
    const event = journal[seq - 1];
    if (event) await link?.tell(seq, event);
  }

  async function tell(event: TurnEvent): Promise<void> {
    if (journal.length === 0 && event.type !== "started") await tell(started);
    const open = await linked();
    journal.push(event);
    await open.tell(journal.length, event);
    if (open.closeCode() !== null && event.type !== "ended") await linked();
  }

  function addMessage(content: string, turnId: string): void {
    account.said.push(content);
    account.turnIds.push(turnId);
    Object.assign(account, { isRunning: true, isPaused: false });
    link = null;
    journal = [];
  }

  /** The next message is sent automatically, under an id that only the session knows. */
  async function goOn(): Promise<void> {
    const [next, ...rest] = account.waiting;
    if (next === undefined || account.isPaused || account.isUnderReview) return;
    account.waiting = rest;
    addMessage(next, (await driver.state()).chat.turn?.id ?? "");
  }

  async function end(outcome: TurnOutcome): Promise<void> {
    account.isRunning = false;
    account.waiting.unshift(...account.handed.splice(0));
    if (outcome.status !== "completed") account.isPaused = true;
    await goOn();
  }

  const deedsByName = {
    async send() {
      const content = `message ${account.accepted.length}`;
      const delivery = await driver.send(content);
      if (account.isRunning && account.waiting.length + account.handed.length >= queueSize) {
        return expect(delivery).toMatchObject({ code: "QUEUE_FULL" });
      }
      if (isRefusal(delivery)) throw new Error(delivery.message);
      account.accepted.push(content);
      // If a turn still runs, only the review had paused the queue.
      if (account.isUnderReview && account.isRunning) account.isPaused = false;
      account.isUnderReview = false;
      expect(delivery.delivery).toBe(account.isRunning ? "queued" : "job");
      if (delivery.delivery === "job") addMessage(content, delivery.turnId);
      else account.waiting.push(content);
    },
    async work() {
      if (account.isRunning) await tell(started);
    },
    async steer() {
      const message = random.pick([null, ...(await driver.state()).chat.upNext]);
      if (!account.isRunning || message === null) return;
      await tell(started);
      const steering = driver.steer(message.id);
      if (account.isUnderReview) Object.assign(account, { isUnderReview: false, isPaused: false });
      account.waiting = account.waiting.filter((content) => content !== message.content);
      account.handed.push(message.content);
      await (await linked()).received("steer");
      if (random.oneIn(2)) await deedsByName.take();
      expect(await steering).toMatchObject({ steerId: expect.any(String) });
    },
    async take() {
      const [steer] = (await driver.state()).chat.steers;
      if (!steer) return;
      await tell({ type: "steer", steerId: steer.steerId, outcome: "taken" });
      account.said.push(...account.handed.splice(0, 1));
    },
    async end() {
      if (!account.isRunning) return;
      const outcome = random.pick<TurnOutcome>([
        completed,
        completed,
        completed,
        { status: "awaiting_response" },
        failed,
      ]);
      await tell({ type: "ended", outcome });
      await end(outcome);
    },
    async stop() {
      if (!account.isRunning) return;
      const isPending = journal.length === 0;
      const open = isPending ? null : await linked();
      const cancelled = driver.session().cancel(account.turnIds.at(-1) ?? "", by);
      await open?.received("stop");
      if (!isPending) await tell({ type: "ended", outcome: { status: "cancelled" } });
      expect(await cancelled).toEqual({ settled: true });
      await end({ status: "cancelled" });
    },
    async resume() {
      const resumed = await driver.resume();
      expect(resumed).toBeNull();
      Object.assign(account, { isUnderReview: false, isPaused: false });
      if (!account.isRunning) await goOn();
    },
    async review() {
      await driver.session().update({ status: "under-review" }, by, models);
      Object.assign(account, { isUnderReview: true, isPaused: true });
    },
    async compact() {
      const run = await driver
        .session()
        .runCommand({ command: "/compact", instructions: null, sandbox: null, isHeldByDeploy: false, by }, null);
      if (account.isUnderReview) return expect(run).toMatchObject({ code: "BAD_REQUEST" });
      if (account.isRunning) return expect(run).toMatchObject({ code: "JOB_ACTIVE" });
      if (random.oneIn(2)) await abortAllDurableObjects();
      await expect.poll(async () => (await driver.state()).session.command?.status, { interval: 10 }).toBe("completed");
    },
    async sleep() {
      await evictDurableObject(driver.session(), { webSockets: random.pick(["hibernate", "close"]) });
    },
    async kill() {
      await abortAllDurableObjects();
    },
  };

  async function compare(): Promise<void> {
    const { turn, upNext, steers, pause } = (await driver.state()).chat;
    const said = (await driver.messages()).filter(({ role }) => role === "user").map(({ content }) => content);
    expect({
      running: isUnfinished(turn) ? turn.id : null,
      waiting: upNext.map(({ content }) => content),
      handed: steers.map(({ message }) => message.content),
      isPaused: pause !== null,
      said,
    }).toEqual({
      running: account.isRunning ? account.turnIds.at(-1) : null,
      waiting: account.waiting,
      handed: account.handed,
      isPaused: account.isPaused,
      said: account.said,
    });
  }

  const often = ["send", "send", "send", "work", "steer", "take", "end", "sleep", "kill"] as const;
  const all = ["send", ...often, ...often, ...often, "stop", "resume", "resume", "review", "compact"] as const;

  async function act(deed: keyof typeof deedsByName): Promise<void> {
    deeds.set(deed, (deeds.get(deed) ?? 0) + 1);
    await deedsByName[deed]();
    await compare();
  }

  return {
    driver,
    account,
    deeds,
    step: () => act(random.pick<keyof typeof deedsByName>(all)),
    async runOut() {
      if (account.isUnderReview) await driver.session().update({ status: "active" }, by, models);
      account.isUnderReview = false;
      while (account.isRunning || account.waiting.length > 0) await act(account.isRunning ? "end" : "resume");
    },
  };
}
