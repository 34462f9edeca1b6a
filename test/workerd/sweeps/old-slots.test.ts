// The sweep of old slots: a sandbox whose object lost its alarm is still paused, and one that has
// ended releases its slot.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { listOldSlots } from "../../../src/sandbox/queries/slots.ts";
import { sandboxOwnerTypes } from "../../../src/sandbox/rules/owner.ts";
import { sweepOldSlots } from "../../../src/sandbox/sweep.ts";
import { slotStates } from "../../../src/sandbox/tables.ts";
import { freshSandbox, host, key, owner, sandbox, settled, slots, until } from "../support/sandbox-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const minuteMs = 60_000;
let claimedAt: number;
const settings = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
const sweepAfter = (minutes: number) => sweepWhole(sweepOldSlots, settings, claimedAt + minutes * minuteMs);
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

test("a sandbox that has stopped unnoticed releases its slot", async () => {
  host.lose(key);
  await sweepAfter(120);
  await until(slots).toBe(0);
});

test("the slot of every kind of sandbox is checked within the hour, in every state, with or without its owner", async () => {
  const now = claimedAt + 5 * 60 * minuteMs;
  const wanted: string[] = [];
  for (const ownerType of sandboxOwnerTypes)
    for (const state of slotStates)
      for (const minutesAgo of [61, 119, 200]) {
        const slot = `${ownerType} ${state} ${minutesAgo}`;
        wanted.push(slot);
        // Its owner has no row, as after the deletion of a session or the loss of a Deploy.
        await env.DB.prepare(
          `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
           VALUES (?1, 'ws_gone', ?2, 'gone', ?3, ?4)`,
        )
          .bind(slot, ownerType, state, now - minutesAgo * minuteMs)
          .run();
      }
  const asked: string[] = [];
  for (let minute = 0; minute < 60; minute++)
    asked.push(...(await listOldSlots(env.DB, now + minute * minuteMs, "", 500)));
  expect(asked.filter((slot) => slot !== key).sort()).toEqual(wanted.sort());
});
