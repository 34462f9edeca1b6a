// The practice push service beside what the service sends: it takes what APNs would take, and
// refuses what APNs would refuse.
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type PracticePush, startPracticePush } from "../../practice/push-service/push-service.ts";
import { type Apns, createProviderToken, sendNotification } from "../../src/notification/apns.ts";
import type { Notification } from "../../src/notification/rules/notification.ts";
import { getHeaders, toPayload } from "../../src/notification/rules/payload.ts";

const newKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const key = { keyId: "KEY", teamId: "TEAM", privateKey: newKey() };

let push: PracticePush;
let apns: Apns;
let notice: Notification;
beforeAll(async () => {
  push = await startPracticePush({ key });
  apns = { ...key, urls: { sandbox: `${push.url}/sandbox`, production: `${push.url}/production` } };
});
afterAll(() => push.close());
beforeEach(() => {
  notice = {
    ...{ id: crypto.randomUUID(), kind: "job_failed", workspaceId: "ws", projectId: "p", sessionId: "s", turnId: "t" },
    ...{ run: null, title: "Fix the board", userId: "usr", at: Date.now() },
  };
});

const newToken = (begin = "") => (begin + crypto.randomUUID().replaceAll("-", "")).slice(0, 32);
const device = (token = newToken()) => ({ token, bundleId: "com.example.app", environment: "production" as const });
const bearer = async (changes: Partial<Apns> = {}, at = Date.now()) =>
  (await createProviderToken({ ...apns, ...changes }, at)).token;
async function listed<Entry extends { token: string }>(name: "received" | "refused", token: string): Promise<Entry[]> {
  const lists = (await (await fetch(`${push.privateUrl}/${name}`)).json()) as Record<string, Entry[]>;
  return (lists[name] ?? []).filter((one) => one.token === token);
}

test("the lists are only below the private address", async () => {
  for (const list of ["received", "refused"]) {
    expect((await fetch(`${push.privateUrl}/${list}`)).status).toBe(200);
    for (const url of [push.url, `${push.url}/`, `${push.privateUrl.slice(0, -1)}`, `${push.privateUrl}x`]) {
      expect((await fetch(`${url}/${list}`)).status, url).toBe(404);
    }
  }
});

test("a notification is listed once, however often it is delivered", async () => {
  const to = device();
  for (const _ of [1, 2]) {
    expect(await sendNotification(apns, await bearer(), to, notice)).toEqual({ status: 200, reason: null });
  }
  expect(await listed("received", to.token)).toEqual([
    {
      ...{ token: to.token, environment: "production", topic: "com.example.app", collapseId: notice.id, times: 2 },
      ...{ expiresAt: expect.any(String), receivedAt: expect.any(String), payload: toPayload(notice) },
    },
  ]);
});

test.each<[what: string, changes: Partial<Apns>, ageMs: number, reason: string]>([
  ["of another key", { privateKey: newKey() }, 0, "InvalidProviderToken"],
  ["of another key id", { keyId: "OTHER" }, 0, "InvalidProviderToken"],
  ["of another team", { teamId: "OTHER" }, 0, "InvalidProviderToken"],
  ["older than an hour", {}, 3_700_000, "ExpiredProviderToken"],
])("a provider token %s is refused", async (_, changes, ageMs, reason) => {
  const token = await bearer(changes, Date.now() - ageMs);
  expect(await sendNotification(apns, token, device(), notice)).toEqual({ status: 403, reason });
});

test.each<[what: string, headers: Record<string, string>, body: object, status: number, reason: string]>([
  ["without a topic", { "apns-topic": "" }, {}, 400, "BadTopic"],
  ["that is over", { "apns-expiration": "1" }, {}, 400, "BadExpirationDate"],
  ["of another kind", { "apns-push-type": "voip" }, {}, 400, "InvalidPushType"],
  ["with a long collapse id", { "apns-collapse-id": "a".repeat(65) }, {}, 400, "BadCollapseId"],
  ["without an alert", {}, { aps: undefined }, 400, "PayloadEmpty"],
  ["of more than 4 KiB", {}, { more: "a".repeat(4_096) }, 413, "PayloadTooLarge"],
])("a notification %s is refused", async (_, headers, body, status, reason) => {
  const answer = await fetch(`${push.url}/sandbox/3/device/${newToken()}`, {
    method: "POST",
    headers: { authorization: `bearer ${await bearer()}`, ...getHeaders(notice, "com.example.app"), ...headers },
    body: JSON.stringify({ ...toPayload(notice), ...body }),
  });
  expect([answer.status, await answer.json()]).toEqual([status, { reason }]);
});

test.each<[begin: string, statuses: number[]]>([
  ["dead", [410, 410]],
  ["bad0", [400, 400]],
  ["5105", [503, 503, 200, 200]],
  ["4290", [429, 429, 429]],
])("a device whose token begins %s", async (begin, statuses) => {
  const to = device(newToken(begin));
  const found: number[] = [];
  for (const _ of statuses) found.push((await sendNotification(apns, await bearer(), to, notice)).status);
  expect(found).toEqual(statuses);
  expect(await listed("refused", to.token)).toHaveLength(statuses.filter((status) => status !== 200).length);
  expect(await listed("received", to.token)).toHaveLength(statuses.includes(200) ? 1 : 0);
});

test("neither environment is the other, and no third one is", async () => {
  const to = { ...device(), environment: "sandbox" as const };
  await sendNotification(apns, await bearer(), to, notice);
  expect(await listed("received", to.token)).toMatchObject([{ environment: "sandbox" }]);
  const elsewhere = { ...apns, urls: { ...apns.urls, sandbox: `${push.url}/elsewhere` } };
  expect(await sendNotification(elsewhere, await bearer(), to, notice)).toEqual({ status: 404, reason: "BadPath" });
});

test("nobody who answers is no answer", async () => {
  const away = { ...apns, urls: { ...apns.urls, production: "http://127.0.0.1:1" } };
  expect(await sendNotification(away, await bearer(), device(), notice)).toEqual({ status: 0, reason: null });
});
