// Notifications on their way to devices: each device gets one once, a failing device delays nobody,
// and a user who has no access gets none.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { getApnsTokenObject, getNotificationObject } from "../../../durable-objects/address.ts";
import { notifyPeople } from "../../../src/notification/notify.ts";
import { deleteDevice } from "../../../src/notification/queries/devices.ts";
import { startTry } from "../../../src/notification/queries/notifications.ts";
import type { Notification } from "../../../src/notification/rules/notification.ts";
import { sweepNotifications } from "../../../src/notification/sweep.ts";
import { captureLog } from "../support/captured-log.ts";
import { type FakedClock, fakeClock, minuteMs, secondMs } from "../support/faked-clock.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";
import { openPushService, registerPhone, type SentNotification, until } from "../support/push-service.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

let sent: SentNotification[];
let answers: ReturnType<typeof openPushService>["answers"];
let workspaceId: string;
let mia: string;
let ada: string;
let clock: FakedClock;

beforeEach(async () => {
  const world = await addWorkspaceWith({ mia: "owner", ada: "member" });
  ({ workspaceId } = world);
  ({ mia, ada } = world.users);
  clock = fakeClock();
  const service = openPushService();
  ({ sent, answers } = service);
  return service.end;
});
afterEach(() => {
  clock.putBack();
  vi.restoreAllMocks();
});

const ways = { apns: true, web: true };
const refusal = (status: number, reason: string) => () => Response.json({ reason }, { status });

async function findHolder(token: string): Promise<string | null> {
  return await env.DB.prepare("SELECT user_id FROM push_devices WHERE token = ?1").bind(token).first("user_id");
}
const leave = (userId: string) => env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(userId).run();

const toNotification = (userId: string | null): Notification => ({
  ...{ id: crypto.randomUUID(), kind: "job_failed", workspaceId, projectId: "project-1", sessionId: "session-1" },
  ...{ turnId: "turn-1", run: null, title: "Fix the board", userId, at: Date.now() },
});
const getObject = ({ id }: Pick<Notification, "id">) => getNotificationObject(env, id);
const read = <Value>(notice: Pick<Notification, "id">, key: string) =>
  runInDurableObject(getObject(notice), (_, { storage }) => storage.kv.get<Value>(key));
const isDone = async (notice: Pick<Notification, "id">) => (await read(notice, "isDone")) === true;
const isKept = async ({ id }: Notification) =>
  (await env.DB.prepare("SELECT 1 FROM push_notices WHERE id = ?1").bind(id).first()) !== null;
const told = () => sent.map(({ token }) => token);

/**
 * Hands a notification over and waits for its first attempt. The alarm of a moved clock is due
 * immediately, by itself.
 */
async function tell(notice: Notification): Promise<void> {
  await notifyPeople(env, notice);
  await until(async () => {
    await runDurableObjectAlarm(getObject(notice));
    // While an attempt runs, no alarm is set.
    const isOver = (await runInDurableObject(getObject(notice), (_, { storage }) => storage.getAlarm())) !== null;
    return isOver && ((await read<number>(notice, "tries")) ?? 0) > 0;
  });
}
const again = (notice: Notification) => clock.passToAlarm(getObject(notice));

describe("a notification", () => {
  test("goes to every device of its recipient, once, and to nobody else", async () => {
    const tokens = [await registerPhone(mia), await registerPhone(mia)];
    await registerPhone(ada);
    const notice = toNotification(mia);
    await tell(notice);
    expect(told().sort()).toEqual(tokens.sort());
    expect(sent[0]).toMatchObject({
      ...{ environment: "sandbox", topic: "com.example.app", collapseId: notice.id },
      payload: { id: notice.id, kind: "job_failed" },
    });
    expect(await isKept(notice)).toBe(false);
    // The object of the event may hand it over once more.
    await notifyPeople(env, notice);
    await sweepWhole(sweepNotifications, env, Date.now() + minuteMs);
    await again(notice);
    expect(sent).toHaveLength(2);
    expect(await isKept(notice)).toBe(false);
  });

  test("for every member goes only to the current members", async () => {
    const stays = [await registerPhone(mia), await registerPhone(ada)];
    await registerPhone(await addUser("otto"));
    const left = (await addWorkspaceWith({ lea: "owner" })).users.lea;
    await registerPhone(left);
    await tell(toNotification(null));
    expect(told().sort()).toEqual(stays.sort());
  });

  test("for people without a device uses no object and no row", async () => {
    const notice = toNotification(mia);
    await notifyPeople(env, notice);
    expect(await isKept(notice)).toBe(false);
    expect(await read(notice, "notice")).toBeUndefined();
  });

  test("survives an eviction between its attempts, and a lost alarm", async () => {
    const token = await registerPhone(mia);
    answers.set(token, refusal(503, "ServiceUnavailable"));
    const notice = toNotification(mia);
    await tell(notice);
    await evictDurableObject(getObject(notice));
    await runInDurableObject(getObject(notice), (_, { storage }) => storage.deleteAlarm());
    answers.clear();
    clock.putBack();
    clock = fakeClock();
    await sweepWhole(sweepNotifications, env, Date.now() + 2 * minuteMs);
    await until(() => isDone(notice));
    expect(told()).toEqual([token, token]);
  });

  test("whose object was never started is started by the sweep", async () => {
    const token = await registerPhone(mia);
    const notice = toNotification(mia);
    await env.DB.prepare("INSERT INTO push_notices VALUES (?1, ?2, ?3)")
      .bind(notice.id, JSON.stringify(notice), Date.now())
      .run();
    await sweepWhole(sweepNotifications, env, Date.now() + 2 * minuteMs);
    await until(() => isDone(notice));
    expect(told()).toEqual([token]);
  });

  test("is not stored if APNs is not set up, which is logged once", async () => {
    const said = captureLog();
    await registerPhone(mia);
    const { APNS_KEY_ID: _, ...without } = env;
    for (const notice of [toNotification(mia), toNotification(mia)]) {
      await notifyPeople(without, notice);
      expect(await isKept(notice)).toBe(false);
    }
    expect(said).toMatchObject([
      { event: "notification.not_configured", missing: "APNS_KEY_ID, WEB_PUSH_PRIVATE_KEY" },
    ]);
  });
});

describe("a person who has the session open in a browser", () => {
  const see = (notice: Notification, userId: string, since: number) =>
    env.DB.prepare("INSERT INTO session_seen (session_id, user_id, since) VALUES (?1, ?2, ?3)")
      .bind(notice.sessionId, userId, since)
      .run();
  const toFollowed = (): Notification => ({
    ...toNotification(null),
    sessionId: crypto.randomUUID(),
    followers: [ada],
  });

  test("gets it after 3 seconds, and the others immediately", async () => {
    const [theirs, followed] = [await registerPhone(mia), await registerPhone(ada)];
    const notice = toFollowed();
    await tell(notice);
    expect(told()).toEqual([theirs]);
    await clock.pass(getObject(notice), 3 * secondMs);
    await until(() => isDone(notice));
    expect(told()).toEqual([theirs, followed]);
  });

  test("does not get it if they have seen it by then", async () => {
    await registerPhone(ada);
    const notice = toFollowed();
    await tell(notice);
    await see(notice, ada, notice.at);
    await clock.pass(getObject(notice), 3 * secondMs);
    await until(() => isDone(notice));
    expect([told(), await isKept(notice)]).toEqual([[], false]);
  });

  test("gets it if they saw only what was before", async () => {
    const token = await registerPhone(ada);
    const notice = { ...toFollowed(), followers: [] };
    await see(notice, ada, notice.at - 1);
    await tell(notice);
    expect(told()).toEqual([token]);
  });
});

test("a kind that a person switched off reaches none of their devices", async () => {
  await registerPhone(mia);
  const theirs = await registerPhone(ada);
  await env.DB.prepare(`UPDATE users SET notifications_off = '["job_failed"]' WHERE id = ?1`).bind(mia).run();
  await tell(toNotification(null));
  expect(told()).toEqual([theirs]);
});

describe("a device that does not accept it", () => {
  test("gets it again with growing delays, and the others do not", async () => {
    const [well, busy] = [await registerPhone(mia), await registerPhone(mia)];
    answers.set(busy, refusal(429, "TooManyRequests"));
    const notice = toNotification(mia);
    await tell(notice);
    const pauses = [await again(notice), await again(notice), await again(notice)];
    expect(pauses.map((pause) => Math.round(pause / secondMs))).toEqual([2, 4, 8]);
    answers.clear();
    await again(notice);
    expect(told().filter((token) => token === well)).toHaveLength(1);
    expect(told().filter((token) => token === busy)).toHaveLength(5);
    expect(new Set(sent.map(({ collapseId }) => collapseId))).toEqual(new Set([notice.id]));
    expect(await isDone(notice)).toBe(true);
  });

  test("gets none after an hour, which is logged", async () => {
    const said = captureLog();
    answers.set(await registerPhone(mia), () => Promise.reject(new TypeError("no answer")));
    const notice = toNotification(mia);
    await tell(notice);
    while (Date.now() < notice.at + 60 * minuteMs) await again(notice);
    const line = { event: "notification.expired", notificationId: notice.id, kind: "job_failed", devices: 1 };
    expect(said.at(-1)).toMatchObject(line);
    expect(sent.length).toBeGreaterThan(10);
    expect(await isKept(notice)).toBe(false);
    expect(await read(notice, "notice")).toBeUndefined();
  });

  test.each([
    [410, "Unregistered"],
    [400, "BadDeviceToken"],
    [400, "DeviceTokenNotForTopic"],
  ])("that no longer exists (%i %s) is deleted", async (status, reason) => {
    const [gone, well] = [await registerPhone(mia), await registerPhone(mia)];
    answers.set(gone, refusal(status, reason));
    const notice = toNotification(mia);
    await tell(notice);
    expect([await findHolder(gone), await findHolder(well)]).toEqual([null, mia]);
    expect(await isDone(notice)).toBe(true);
  });

  test("is not deleted if it was registered again since", async () => {
    const token = await registerPhone(mia);
    answers.set(token, async () => {
      await registerPhone(ada, token);
      return refusal(410, "Unregistered")();
    });
    await tell(toNotification(mia));
    expect(await findHolder(token)).toBe(ada);
  });

  test.each<[how: string, change: (token: string) => Promise<unknown>]>([
    ["whose token moved to somebody else", (token) => registerPhone(ada, token)],
    ["that was deleted", (token) => deleteDevice(env.DB, mia, token)],
    ["whose person left", () => leave(mia)],
  ])("and %s since gets it no more", async (_, change) => {
    const token = await registerPhone(mia);
    answers.set(token, refusal(503, "ServiceUnavailable"));
    const notice = toNotification(mia);
    await tell(notice);
    await change(token);
    await again(notice);
    expect(told()).toEqual([token]);
    expect(await isDone(notice)).toBe(true);
  });

  test("or does not respond delays neither the others nor another notification", async () => {
    const [slow, ...well] = await Promise.all(Array.from({ length: 4 }, () => registerPhone(mia)));
    const release = Promise.withResolvers<Response>();
    answers.set(slow ?? "", () => release.promise);
    const [first, second] = [toNotification(mia), toNotification(mia)];
    const trying = Promise.all([tell(first), tell(second)]);
    await until(() => told().filter((token) => well.includes(token)).length === 6);
    release.resolve(new Response());
    await trying;
    expect([await isDone(first), await isDone(second)]).toEqual([true, true]);
  });
});

describe("the provider token", () => {
  beforeEach(async () => {
    await runInDurableObject(providerToken(), (_, { storage }) => storage.kv.delete("token"));
    await evictDurableObject(providerToken());
  });

  const parseClaims = ({ provider }: SentNotification) => JSON.parse(atob(provider.split(".")[1] ?? ""));

  test("is one for all notifications, also after an eviction, and new after 40 minutes", async () => {
    await registerPhone(mia);
    await Promise.all([tell(toNotification(mia)), tell(toNotification(mia))]);
    await evictDurableObject(providerToken());
    await clock.pass(providerToken(), 39 * minuteMs);
    await tell(toNotification(mia));
    expect(new Set(sent.map(({ provider }) => provider)).size).toBe(1);
    expect(parseClaims(sent[0] as SentNotification)).toMatchObject({ iss: "TEAM000001" });
    await clock.pass(providerToken(), 2 * minuteMs);
    await tell(toNotification(mia));
    expect(new Set(sent.map(({ provider }) => provider)).size).toBe(2);
  });

  test("that has expired is replaced by a new one, once for all", async () => {
    const tokens = await Promise.all([registerPhone(mia), registerPhone(mia), registerPhone(mia)]);
    for (const token of tokens) answers.set(token, refusal(403, "ExpiredProviderToken"));
    const notice = toNotification(mia);
    await tell(notice);
    expect(sent).toHaveLength(6);
    expect(new Set(sent.map(({ provider }) => provider)).size).toBe(2);
    answers.clear();
    await again(notice);
    expect(await isDone(notice)).toBe(true);
  });
});

const providerToken = () => getApnsTokenObject(env, { teamId: env.APNS_TEAM_ID, keyId: env.APNS_KEY_ID });

describe.each([
  { table: "users", reached: ["suspended-ada"], isFor: "a suspended person" },
  { table: "workspaces", reached: [], isFor: "the members of a suspended workspace" },
])("$isFor", ({ table, reached }) => {
  test("gets no notification, and gets the next ones when resumed", async () => {
    await registerPhone(mia, "suspended-mia");
    await registerPhone(ada, "suspended-ada");
    const setSuspended = (at: number | null) =>
      env.DB.prepare(`UPDATE ${table} SET suspended_at = ?2 WHERE id = ?1`)
        .bind(table === "users" ? mia : workspaceId, at)
        .run();
    const listReached = async () =>
      (await startTry(env.DB, toNotification(null), { ways, nextAt: 0 })).map(({ token }) => token).sort();
    await setSuspended(1);
    expect(await listReached()).toEqual(reached);
    await setSuspended(null);
    expect(await listReached()).toEqual(["suspended-ada", "suspended-mia"]);
  });
});
