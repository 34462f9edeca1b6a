// What a request with an Idempotency-Key has created is found by its repeats.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { idempotencyKeyLifetimeMs } from "../../../src/rules/limits.ts";
import {
  claimIdBeforeBody,
  createIdempotently,
  findCreated,
  getClaimedId,
} from "../../../src/storage/idempotent-create.ts";

let repeat: Idempotency;
beforeEach(() => {
  repeat = { key: crypto.randomUUID(), bodyHash: "body" };
});

const find = (again: Idempotency | null = repeat, now = 1) =>
  findCreated(env.DB, { repeat: again, now }, async (id) => ({ id }));

test("a repeat that a check refuses finds what the first request has created", async () => {
  const id = await getClaimedId(env.DB, repeat, 0);
  expect(await find()).toEqual({ id });
  expect(await find({ ...repeat, bodyHash: "another" })).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  expect(await find(repeat, idempotencyKeyLifetimeMs)).toBeNull();
  expect(await find({ ...repeat, key: crypto.randomUUID() })).toBeNull();
  expect(await find(null)).toBeNull();
});

test("a request whose body was not read has created nothing", async () => {
  await claimIdBeforeBody(env.DB, repeat.key, 0);
  expect(await find()).toBeNull();
});

test.each([
  ["finds it there", null],
  ["is refused because it took the last place", { code: "BAD_REQUEST", message: "It is full." }],
] as const)("a create that %s returns what a concurrent one has created", async (_, answer) => {
  const made = new Map<string, { id: string }>();
  const creation = {
    find: async (id: string) => made.get(id) ?? null,
    async create(id: string) {
      made.set(id, { id });
      return answer;
    },
  };
  const created = await createIdempotently(env.DB, { repeat, now: 0 }, creation);
  expect([created]).toEqual([...made.values()]);
});
