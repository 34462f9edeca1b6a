// A pause past its deadline: a sandbox that cannot give its work ends, and one whose work the
// service cannot save stays.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  fireReminders,
  freshSandbox,
  host,
  idle,
  key,
  owner,
  sandbox,
  savedWork,
  triesOfPause,
  until,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);
afterEach(() => vi.restoreAllMocks());

const state = async () => (await sandbox().status()).state;

test("a pause past its deadline keeps the sandbox while storage takes no work, and saves it once storage is back", async () => {
  await sandbox().wakeForPreview(owner);
  const put = vi.spyOn(Object.getPrototypeOf(env.STORE), "put").mockRejectedValue(new Error("storage is away"));
  await idle();
  await until(triesOfPause).toBeGreaterThan(0);
  await fireReminders();
  expect([await state(), host.running.has(key)]).toEqual(["pausing", true]);
  put.mockRestore();
  await until(state).toBe("paused");
  const [work = ""] = await savedWork();
  expect(await (await env.STORE.get(work))?.text()).toMatch(/^work of /);
});

test("a pause past its deadline keeps the sandbox while the database does not respond, and saves it once it does", async () => {
  await sandbox().wakeForPreview(owner);
  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), "prepare").mockImplementation(() => {
    throw new Error("the database is away");
  });
  await idle();
  await until(triesOfPause).toBeGreaterThan(0);
  await fireReminders();
  expect([await state(), host.running.has(key)]).toEqual(["pausing", true]);
  prepare.mockRestore();
  await until(state).toBe("paused");
  expect(await savedWork()).toHaveLength(1);
});

test("a pause past its deadline keeps the sandbox while storage takes only small objects", async () => {
  await sandbox().wakeForPreview(owner);
  const whole = new Uint8Array(6 * 1_024 * 1_024);
  const upload = vi
    .spyOn(Object.getPrototypeOf(env.STORE), "createMultipartUpload")
    .mockRejectedValue(new Error("the disk is full"));
  host.answerNext("GET /archive", ...Array.from({ length: 10 }, () => () => new Response(whole)));
  await idle();
  await until(triesOfPause).toBeGreaterThan(0);
  await fireReminders();
  expect([await state(), host.running.has(key)]).toEqual(["pausing", true]);
  upload.mockRestore();
  await until(state).toBe("paused");
});

const brokenBody = () =>
  new Response(
    new ReadableStream({
      start(body) {
        body.enqueue(new Uint8Array(1));
        body.error(new TypeError("Network connection lost."));
      },
    }),
  );

test.each([
  ["refuses the save", programRefusal("INTERNAL", "Not now.")],
  ["breaks off before the save", () => new Response("", { status: 502, headers: { "x-sandbox-broken": "1" } })],
  ["breaks off within the save", brokenBody],
])("a pause past its deadline ends the sandbox if its program %s", async (_, answer) => {
  await sandbox().wakeForPreview(owner);
  host.answerNext("GET /archive", ...Array.from({ length: 10 }, () => answer));
  await idle();
  await until(triesOfPause).toBeGreaterThan(0);
  await fireReminders();
  await until(async () => host.running.has(key)).toBe(false);
  expect(await state()).toBe("absent");
});
