// The sweep of old slots: a sandbox whose object lost its alarm is paused all the same, and one that has gone gives its slot back.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { sweepOldSlots } from "../../../src/scheduled/old-slots.ts";
import { freshSandbox, host, key, owner, sandbox, settled, slots, until } from "../support/sandbox-driver.ts";

const minuteMs = 60_000;
let claimedAt: number;
const settings = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
const sweepAfter = (minutes: number) => sweepOldSlots(settings, claimedAt + minutes * minuteMs);
const alarm = () => runInDurableObject(sandbox(), (_, { storage }) => storage.getAlarm());

beforeEach(async () => {
  await freshSandbox();
  await sandbox().wakeForPreview(owner);
  await until(async () => (await sandbox().status()).state).toBe("running");
  await settled();
  claimedAt = (await env.DB.prepare("SELECT claimed_at FROM sandbox_slots WHERE sandbox_key = ?1")
    .bind(key)
    .first<number>("claimed_at")) as number;
});

test("a lost alarm is set again, once an hour and not in its first", async () => {
  await runInDurableObject(sandbox(), (_, { storage }) => storage.deleteAlarm());
  for (const minutes of [0, 59, 61, 119, 121]) {
    await sweepAfter(minutes);
    expect(await alarm()).toBeNull();
  }
  await sweepAfter(120);
  expect(await alarm()).toEqual(expect.any(Number));
});

test("a sandbox that has stopped unnoticed gives its slot back", async () => {
  host.lose(key);
  await sweepAfter(120);
  await until(slots).toBe(0);
});
