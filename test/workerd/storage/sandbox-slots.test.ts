// Sandbox slots: the workspace's limit is one conditional statement, so no burst exceeds it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { claimSlotAgain } from "../../../src/sandbox/claim-slot.ts";
import { getHasRoomSql } from "../../../src/sandbox/queries/limits.ts";
import {
  claimSlot,
  countOfOwner,
  findLimitMet,
  listSessionsWithSlot,
  listSlotHolders,
  releaseSlot,
  releaseUnusedClaim,
  updateSlot,
} from "../../../src/sandbox/queries/slots.ts";
import { deleteSessionRows } from "../../../src/session/queries/index.ts";

const hour = 60 * 60_000;

const owner = (workspaceId: string) => ({
  workspaceId,
  type: "session" as const,
  id: "session",
});

let workspaceId: string;
beforeEach(async () => {
  workspaceId = `ws_${crypto.randomUUID()}`;
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'A', ?1, 'UTC', 'team', 0)",
  )
    .bind(workspaceId)
    .run();
});

const claim = (key: string, of = workspaceId) => claimSlot(env.DB, key, owner(of), 1);
const readSlot = async (key: string) =>
  await env.DB.prepare("SELECT state, claimed_at AS claimedAt FROM sandbox_slots WHERE sandbox_key = ?1")
    .bind(key)
    .first();
const claimMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, place) => claim(`${workspaceId}-${place}`)));

test("of a hundred concurrent claims, the plan's twenty are granted", async () => {
  const granted = await claimMany(100);
  expect(granted.filter(Boolean)).toHaveLength(20);
});

test("of forty concurrent claims while stopped sandboxes still hold the slots, twenty are granted", async () => {
  await claimMany(20);
  // The objects of these keys never started a sandbox, and the claims are old.
  const objects = { DB: env.DB, SANDBOX: env.OWN_SANDBOX, JURISDICTION: "" };
  const claims = Array.from({ length: 40 }, (_, place) =>
    claimSlotAgain(objects, `late-${workspaceId}-${place}`, owner(workspaceId)),
  );
  const limits = await Promise.all(claims);
  expect(limits.filter((limit) => limit === null)).toHaveLength(20);
  expect(limits.filter((limit) => limit === "workspace")).toHaveLength(20);
  const held = await env.DB.prepare("SELECT count(*) AS held FROM sandbox_slots WHERE workspace_id = ?1")
    .bind(workspaceId)
    .first("held");
  expect(held).toBe(20);
});

describe("the free workspaces of one owner", () => {
  const ownedBy = async (userId: string, plan: string) => {
    const id = `ws_${crypto.randomUUID()}`;
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'A', ?1, 'UTC', ?2, 0)",
      ).bind(id, plan),
      env.DB.prepare(
        "INSERT INTO users (id, name, email, created_at) VALUES (?1, 'A', ?1, 0) ON CONFLICT DO NOTHING",
      ).bind(userId),
      env.DB.prepare("INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?2, 'owner', 0)").bind(
        id,
        userId,
      ),
    ]);
    return id;
  };
  const rush = (ids: string[]) =>
    Promise.all(ids.flatMap((id) => Array.from({ length: 5 }, (_, place) => claim(`${id}-${place}`, id))));

  test("run six concurrent sandboxes, however many claims there are, and each of them three", async () => {
    const free = await Promise.all(Array.from({ length: 6 }, () => ownedBy("usr_many", "free")));
    const [first = ""] = free;
    expect((await rush(free)).filter(Boolean)).toHaveLength(6);
    const { results } = await env.DB.prepare(
      "SELECT sandbox_key AS key, workspace_id AS id FROM sandbox_slots WHERE workspace_id IN (SELECT value FROM json_each(?1))",
    )
      .bind(JSON.stringify(free))
      .all<{ key: string; id: string }>();
    for (const id of free) expect(results.filter((slot) => slot.id === id).length).toBeLessThanOrEqual(3);
    expect(await findLimitMet(env.DB, "another", free.at(-1) ?? "")).toBe("owner");
    expect(await countOfOwner(env.DB, first)).toBe(6);

    const [held] = results;
    await releaseSlot(env.DB, held?.key ?? "", 2);
    expect(await claim("room again", held?.id)).toBe(true);
  });

  test("count neither those of others nor those on another plan", async () => {
    const free = await Promise.all(Array.from({ length: 2 }, () => ownedBy("usr_two", "free")));
    expect((await rush(free)).filter(Boolean)).toHaveLength(6);
    const [team, other] = [await ownedBy("usr_two", "team"), await ownedBy("usr_other", "free")];
    expect((await rush([team])).filter(Boolean)).toHaveLength(5);
    expect((await rush([other])).filter(Boolean)).toHaveLength(3);
    expect(await countOfOwner(env.DB, team)).toBe(0);
  });

  test("are found by indexes", async () => {
    const { results } = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT 1 FROM workspaces w WHERE w.id = ?1 AND ${getHasRoomSql("l.sandbox_key <> ?2")}`,
    )
      .bind("ws_one", "one")
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => detail).filter((detail) => /^SCAN (?!CONSTANT)/.test(detail))).toEqual([]);
  });
});

test.each(["main", "spare"] as const)("sandboxes that are %s use no session's slot, and need none", async (type) => {
  const claims = Array.from({ length: 30 }, (_, place) =>
    claimSlot(env.DB, `${type}-${workspaceId}-${place}`, { ...owner(workspaceId), type, id: `${type}-${place}` }, 1),
  );
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(30);
  expect((await claimMany(30)).filter(Boolean)).toHaveLength(20);
  expect(await claimSlot(env.DB, `one more ${type}`, { ...owner(workspaceId), type, id: "last" }, 1)).toBe(true);
});

test("a sandbox with a slot may claim it again, even at the limit", async () => {
  await claimMany(20);
  expect(await claim(`${workspaceId}-0`)).toBe(true);
  expect(await claim("one more")).toBe(false);
});

test("the sandbox of a deleted session takes no slot of the plan while it ends, and is metered", async () => {
  const keys = Array.from({ length: 20 }, (_, place) => `${workspaceId}-${place}`);
  for (const key of keys) await claimSlot(env.DB, key, { ...owner(workspaceId), id: `session of ${key}` }, hour);
  const [ending = ""] = keys;
  await updateSlot(env.DB, ending, "running");
  expect(await claim("one more")).toBe(false);
  for (let again = 0; again < 2; again++) await deleteSessionRows(env.DB, `session of ${ending}`);
  expect(await listSlotHolders(env.DB, workspaceId)).not.toContain(ending);
  expect(await listSessionsWithSlot(env.DB, workspaceId, [`session of ${ending}`])).toEqual([]);
  const granted = await Promise.all(Array.from({ length: 5 }, (_, place) => claim(`late-${workspaceId}-${place}`)));
  expect(granted.filter(Boolean)).toHaveLength(1);
  await releaseSlot(env.DB, ending, 3 * hour);
  const ran = env.DB.prepare("SELECT sum(ms) AS ms FROM running_time WHERE workspace_id = ?1").bind(workspaceId);
  expect(await ran.first("ms")).toBe(2 * hour);
});

test("a released slot can be claimed once", async () => {
  await claimMany(20);
  await releaseSlot(env.DB, `${workspaceId}-7`, 2);
  await releaseSlot(env.DB, `${workspaceId}-7`, 2);
  const granted = await Promise.all(Array.from({ length: 5 }, (_, place) => claim(`late-${place}`)));
  expect(granted.filter(Boolean)).toHaveLength(1);
});

test("a slot is claimed, then starting, then running", async () => {
  await claim("one");
  expect(await readSlot("one")).toEqual({ state: "claimed", claimedAt: 1 });
  await updateSlot(env.DB, "one", "starting");
  expect(await readSlot("one")).toEqual({ state: "starting", claimedAt: 1 });
  for (let again = 0; again < 2; again++) expect(await updateSlot(env.DB, "one", "running")).toBe(true);
  expect(await readSlot("one")).toEqual({ state: "running", claimedAt: 1 });
});

test("a claim does not change the slot of a starting or running sandbox; it renews one without a start", async () => {
  for (const key of ["unused", "starts", "runs"]) await claim(key);
  await updateSlot(env.DB, "starts", "starting");
  await updateSlot(env.DB, "runs", "running");
  for (const key of ["unused", "starts", "runs"])
    expect(await claimSlot(env.DB, key, owner(workspaceId), 9)).toBe(true);
  expect(await readSlot("unused")).toEqual({ state: "claimed", claimedAt: 9 });
  expect(await readSlot("starts")).toEqual({ state: "starting", claimedAt: 1 });
  expect(await readSlot("runs")).toEqual({ state: "running", claimedAt: 1 });
});

test("a released slot cannot be marked", async () => {
  expect(await updateSlot(env.DB, "nobody's", "running")).toBe(false);
  expect(await readSlot("nobody's")).toBeNull();
});

test("an unused claim is released once it is old enough, but never the slot of a starting or running sandbox", async () => {
  for (const key of ["unused", "starts", "runs"]) await claim(key);
  await updateSlot(env.DB, "starts", "starting");
  await updateSlot(env.DB, "runs", "running");
  await releaseUnusedClaim(env.DB, "unused", 1);
  expect(await readSlot("unused")).not.toBeNull();
  for (const key of ["unused", "starts", "runs"]) await releaseUnusedClaim(env.DB, key, 2);
  expect(await readSlot("unused")).toBeNull();
  for (const key of ["starts", "runs"]) expect(await readSlot(key)).not.toBeNull();
});

describe("running time", () => {
  const january = Date.UTC(2026, 0, 31, 23);
  const february = Date.UTC(2026, 1, 1, 1);
  const times = async () => {
    const { results } = await env.DB.prepare(
      "SELECT month, ms FROM running_time WHERE workspace_id = ?1 ORDER BY month",
    )
      .bind(workspaceId)
      .all();
    return results;
  };
  const startAt = async (name: string, now: number) => {
    await claimSlot(env.DB, `${workspaceId}-${name}`, owner(workspaceId), now);
    await updateSlot(env.DB, `${workspaceId}-${name}`, "starting");
  };
  const releaseAt = (name: string, now: number) => releaseSlot(env.DB, `${workspaceId}-${name}`, now);
  const run = async (name: string, from: number, to: number) => {
    await startAt(name, from);
    await releaseAt(name, to);
  };

  test("grows by the time of each sandbox of the workspace", async () => {
    await run("one", january, january + 5_000);
    await run("two", january, january + 700);
    expect(await times()).toEqual([{ month: "2026-01", ms: 5_700 }]);
  });

  test("is added once, however often and concurrently a slot is released", async () => {
    await startAt("one", january);
    await Promise.all(Array.from({ length: 10 }, () => releaseAt("one", january + 5_000)));
    await releaseAt("one", january + 9_000);
    expect(await times()).toEqual([{ month: "2026-01", ms: 5_000 }]);
  });

  test("over the end of a month is split between both months", async () => {
    await run("one", january, february);
    expect(await times()).toEqual([
      { month: "2026-01", ms: 3_600_000 },
      { month: "2026-02", ms: 3_600_000 },
    ]);
    await run("two", january, february + 1);
    expect(await times()).toEqual([
      { month: "2026-01", ms: 7_200_000 },
      { month: "2026-02", ms: 7_200_001 },
    ]);
  });

  test("over several months adds the whole of each month in between", async () => {
    await run("one", Date.UTC(2027, 10, 30), Date.UTC(2028, 2, 2));
    const days = (count: number) => count * 24 * 3_600_000;
    expect(await times()).toEqual([
      { month: "2027-11", ms: days(1) },
      { month: "2027-12", ms: days(31) },
      { month: "2028-01", ms: days(31) },
      { month: "2028-02", ms: days(29) },
      { month: "2028-03", ms: days(1) },
    ]);
  });

  test.each([
    ["up to the last millisecond of a month", -1, 1],
    ["up to its end", 0, 1],
    ["one millisecond over it", 1, 2],
  ])("%s", async (_, past, months) => {
    const end = Date.UTC(2026, 1, 1);
    await run("one", end - 5_000, end + past);
    const found = await times();
    expect(found).toHaveLength(months);
    expect(found.reduce((sum, { ms }) => sum + Number(ms), 0)).toBe(5_000 + past);
  });

  test("is none if the clock went back", async () => {
    await run("one", january, january - 5_000);
    expect(await times()).toEqual([{ month: "2026-01", ms: 0 }]);
  });

  test("does not grow by a claim without a start", async () => {
    for (const name of ["one", "two"]) await claimSlot(env.DB, `${workspaceId}-${name}`, owner(workspaceId), january);
    await releaseUnusedClaim(env.DB, `${workspaceId}-one`, february);
    await releaseAt("two", february);
    expect(await times()).toEqual([]);
  });
});

test("the slots of one workspace are not those of another", async () => {
  await claimMany(20);
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'B', ?1, 'UTC', 'free', 0)",
  )
    .bind(`${workspaceId}-other`)
    .run();
  expect(await claim("elsewhere", `${workspaceId}-other`)).toBe(true);
});
