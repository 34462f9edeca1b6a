// The sweep of prebuilds uses an index: a project with many merges has many prebuilds, and each
// minute would read them all.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  claimPrebuild,
  findFittingPrebuild,
  listUnusedPrebuilds,
  retireOldPrebuilds,
} from "../../../src/sandbox/queries/prebuilds.ts";

/** The statements that some work prepares. */
async function listStatements(work: (database: D1Database) => Promise<unknown>): Promise<string[]> {
  const prepared: string[] = [];
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") prepared.push("");
      const value: unknown = Reflect.get(target, name);
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
      return (statement: string) => {
        prepared[prepared.length - 1] = statement;
        return target.prepare(statement);
      };
    },
  });
  await work(database);
  return prepared;
}

async function readPlans(statement: string): Promise<string[]> {
  const values = [...new Set(statement.match(/\?\d/g))].map(() => 0);
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

test.each<[string, number, (database: D1Database) => Promise<unknown>]>([
  ["to retire old bases", 3, (database) => retireOldPrebuilds(database, { makingBefore: 0, unmadeBefore: 0 })],
  ["for unused bases", 1, (database) => listUnusedPrebuilds(database, "", 20)],
  [
    "for a fitting base",
    1,
    (database) => findFittingPrebuild(database, { projectId: "p", fingerprint: "f", recipe: "r" }),
  ],
])("no statement %s scans a table", async (_, count, work) => {
  const statements = await listStatements(work);
  expect(statements.length).toBe(count);
  for (const statement of statements) {
    const plans = await readPlans(statement);
    expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
    expect(plans.join()).toContain("INDEX sandbox_bases_by_state");
  }
});

test("the newest ready prebuild of a project stays, older ones go once nobody uses them, and so do those that were never finished", async () => {
  const projectId = crypto.randomUUID();
  const createId = (name: string) => `${projectId} ${name}`;
  const add = (id: string, state: string, createdAt: number) =>
    env.DB.prepare(
      "INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at) VALUES (?1, ?4, ?1, ?1, ?2, ?3)",
    )
      .bind(createId(id), state, createdAt, projectId)
      .run();
  for (const [id, state, createdAt] of [
    ["b1", "ready", 1],
    ["b2", "ready", 2],
    ["b3", "ready", 3],
    ["b4", "making", 1],
    ["b5", "making", 9],
    ["b6", "unmade", 1],
  ] as const)
    await add(id, state, createdAt);
  expect(await claimPrebuild(env.DB, projectId, { projectId, fingerprint: createId("b2"), recipe: "none" })).toBe(
    createId("b2"),
  );
  await retireOldPrebuilds(env.DB, { makingBefore: 5, unmadeBefore: 5 });
  const unused = (await listUnusedPrebuilds(env.DB, "", 1_000)).filter((base) => base.projectId === projectId);
  expect(unused.map(({ id }) => id).sort()).toEqual(["b1", "b4", "b6"].map(createId));
});
