// Notifications in browsers over the API: a browser subscribes, and gets what its person wants to
// know, unless the person has seen it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { seenGraceMs } from "../../src/rules/limits.ts";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { createClient, script } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { until } from "../support/until.ts";
import { type Subscription, startWebPushService, type WebPushService } from "../support/web-push-service.ts";

const path = "/api/push/devices";
const world = apiWorld();
const owner = createClient(world);
const options = ["red", "green"].map((title) => ({ title, description: title, isRecommended: false }));
const ask = { ask: { questions: [{ topic: "Colour", question: "Which colour?", options }] } };

let service: WebPushService;
let browser: Browser;
let subscription: Subscription;
beforeAll(async () => {
  service = await startWebPushService();
});
afterAll(() => service.close());
beforeEach(async () => {
  browser = await signIn(world, "owner");
  subscription = service.subscribe();
});

const register = (by: Browser, what: Subscription, label = "Firefox on Linux") =>
  by.call("POST", path, { platform: "web", subscription: what, label });
const list = async (by: Browser) => (await by.call("GET", path)).body.data as { id: string; label: string }[];
const findCurrent = async (by: Browser) =>
  ((await list(by)) as unknown as { id: string; isCurrent: boolean; lastUsedAt: string | null }[]).find(
    ({ isCurrent }) => isCurrent,
  );
const received = (from: Subscription) => service.listReceived(from);

/** A session of the owner whose agent asks. */
async function openAsked(title: string) {
  const created = await owner.createSession({ title, content: script({ say: "Ready." }) });
  await owner.jobUntil(created.path, created.jobId);
  return {
    ...created,
    async ask() {
      const sent = await owner.send(created.path, script(ask));
      await owner.jobUntil(created.path, sent.body.data.chatJobId);
      return (await owner.get(created.path)).body.data.session.needsYouSince as string;
    },
  };
}

test("a browser that subscribed gets the question, encrypted, and is listed with its use", async () => {
  const { webPushKey } = (await browser.call("GET", "/api/meta")).body.data;
  expect(webPushKey).toMatch(/^B[\w-]{86}$/);
  expect((await register(browser, subscription)).status).toBe(204);
  expect(await findCurrent(browser)).toEqual({
    ...{ id: expect.any(String), platform: "web", label: "Firefox on Linux", isCurrent: true },
    ...{ createdAt: expect.any(String), lastUsedAt: null },
  });
  const session = await openAsked("Bring a push");
  await session.ask();
  await until("the push", async () => received(subscription).length > 0);
  expect(received(subscription)).toMatchObject([
    {
      payload: {
        ...{ kind: "job_awaiting_response", title: "Bring a push", body: "The agent waits for your answer." },
        ...{ tag: session.id, path: `/s/${session.id}` },
      },
      sender: { key: webPushKey },
    },
  ]);
  expect(JSON.stringify(received(subscription))).not.toContain("colour");
  await until("its use", async () => (await findCurrent(browser))?.lastUsedAt);
  expect(service.refused).toEqual([]);
});

test("a person who looks at the session gets none of what they see there", async () => {
  await register(browser, subscription);
  // On a busy machine the look may come too late for a question, which is then sent.
  const { session, stream } = await until("a look in time", async () => {
    const session = await openAsked("Looked at");
    const stream = await openStream(world.baseUrl, `${session.path}/events`, browser.headers);
    await stream.received("job");
    const since = await session.ask();
    expect((await browser.call("PUT", `${session.path}/seen`, { since })).status).toBe(204);
    return Date.now() < Date.parse(since) + seenGraceMs && { session, stream };
  });
  // The tab is still open, and nobody looks at it: the next question comes, and later than the one
  // before would have come.
  await owner.put(session.path, { title: "Looked away" });
  await session.ask();
  const ofSession = () => received(subscription).filter(({ payload }) => JSON.stringify(payload).includes(session.id));
  await until("the push", async () => ofSession().length > 0);
  stream.leave();
  expect(ofSession()).toMatchObject([{ payload: { title: "Looked away" } }]);
});

test("a kind that a person switched off is sent to none of their devices", async () => {
  await register(browser, subscription);
  const settings = "/api/user/notifications";
  const kinds = {
    ...{ job_awaiting_response: true, job_failed: true, pr_checks_failed: true },
    ...{ cron_run_failed: true, webhook_disabled: true },
  };
  expect((await browser.call("GET", settings)).body.data).toEqual({ kinds });
  const change = (changes: object) => browser.call("PUT", settings, { kinds: changes });
  expect((await change({ job_awaiting_response: false })).status).toBe(204);
  expect((await change({})).status).toBe(204);
  expect((await browser.call("GET", settings)).body.data).toEqual({
    kinds: { ...kinds, job_awaiting_response: false },
  });
  const session = await openAsked("Switched off");
  const failing = await openAsked("Fails");
  await session.ask();
  const sent = await owner.send(failing.path, script({ fail: "unauthorized" }));
  await owner.jobUntil(failing.path, sent.body.data.chatJobId);
  await until("the push of the failure", async () => received(subscription).length > 0);
  expect(received(subscription)).toMatchObject([{ payload: { kind: "job_failed", tag: failing.id } }]);
  expect((await change({ job_awaiting_response: true })).status).toBe(204);
  expect((await change({ mention: true })).status).toBe(400);
});

test.each([404, 410])("a browser whose push service answers %i is deleted", async (status) => {
  await register(browser, subscription);
  service.answerWith(subscription, status);
  await (await openAsked("Gone")).ask();
  await until("its deletion", async () => (await findCurrent(browser)) === undefined);
});

test("a person removes only their own devices", async () => {
  await register(browser, subscription);
  const { id } = (await findCurrent(browser)) ?? { id: "" };
  const member = await signIn(world, "member");
  expect(await list(member)).toEqual([]);
  expect((await member.call("DELETE", path, { id })).status).toBe(204);
  expect(await findCurrent(browser)).toMatchObject({ id });
  for (const body of [{}, { id, token: "0a".repeat(16) }, { id: "" }])
    expect((await browser.call("DELETE", path, body)).status).toBe(400);
  expect((await browser.call("DELETE", path, { id })).status).toBe(204);
  expect(await findCurrent(browser)).toBeUndefined();
});

test("a browser belongs to who registered it last, and ends with the session that registered it", async () => {
  const member = await signIn(world, "member");
  await register(browser, subscription);
  await register(member, subscription, "Mine now");
  expect(await findCurrent(browser)).toBeUndefined();
  expect(await list(member)).toMatchObject([{ label: "Mine now", isCurrent: true }]);
  const before = await list(member);
  await register(member, subscription, "Renamed");
  expect(await list(member)).toMatchObject([{ id: before[0]?.id, label: "Renamed" }]);
  expect((await member.call("POST", "/api/auth/sign-out")).status).toBe(204);
  expect(await list(await signIn(world, "member"))).toEqual([]);
});

test("a person has 20 browsers at most, the newest ones", async () => {
  const admin = await signIn(world, "admin");
  for (let count = 1; count <= 21; count++) await register(admin, service.subscribe(), `Browser ${count}`);
  const labels = (await list(admin)).map(({ label }) => label);
  expect(labels).toHaveLength(20);
  expect(labels).not.toContain("Browser 1");
});

test.each<[what: string, endpoint: string]>([
  ["an inside address", "https://10.0.0.1/send"],
  ["the machine's metadata", "http://169.254.169.254/latest"],
  ["a private name", "https://push.internal/send"],
  ["a name without a domain", "https://push/send"],
  ["no TLS", "http://push.example.com/send"],
  ["another port", "https://push.example.com:8080/send"],
  ["a user", "https://user@push.example.com/send"],
  ["another scheme", "file:///etc/passwd"],
  ["no address", "push"],
  ["a private suffix", "https://preview.localhost.test/send"],
])("an endpoint with %s is refused", async (_, endpoint) => {
  const { status, body } = await register(browser, { ...subscription, endpoint });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { details: [{ path: "subscription.endpoint" }] },
  });
  expect(await findCurrent(browser)).toBeUndefined();
});

test.each<[what: string, change: object]>([
  ["a key that is no point of the curve", { p256dh: `B${"B".repeat(86)}` }],
  ["a short key", { p256dh: "BBBB" }],
  ["a short secret", { auth: "AAAA" }],
  ["no secret", { auth: undefined }],
])("a subscription with %s is refused", async (_, change) => {
  const keys = { ...subscription.keys, ...change } as Subscription["keys"];
  expect((await register(browser, { ...subscription, keys })).status).toBe(400);
});
