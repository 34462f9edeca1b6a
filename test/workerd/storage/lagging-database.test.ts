// Sweeps that only wake objects read in a session of the database that a replica may serve.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sweepOldSlots } from "../../../src/sandbox/sweep.ts";
import { withReplicas } from "../../../src/storage/database.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

/** The database, which records its own queries and those of its sessions. */
function noting(asked: string[]): D1Database {
  const noted = <Held extends object>(held: Held, name: string): Held =>
    new Proxy(held, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          asked.push(`${name}.${String(key)}`);
          const answer: unknown = value.apply(target, given);
          return key === "withSession" ? noted(answer as object, `session ${given[0]}`) : answer;
        };
      },
    });
  return noted(env.DB, "database");
}

test("a sweep sends no query to the primary itself", async () => {
  const asked: string[] = [];
  await sweepWhole(sweepOldSlots, { ...env, DB: withReplicas(noting(asked)) } as never, Date.now());
  expect(asked).toEqual(["database.withSession", "session first-unconstrained.prepare"]);
});

test("its writes are visible to itself and to everybody", async () => {
  const database = withReplicas(env.DB);
  const key = crypto.randomUUID();
  await database.prepare("INSERT INTO base_users (sandbox_key, base_id) VALUES (?1, 'b1')").bind(key).run();
  const find = (from: D1Database) => from.prepare("SELECT base_id FROM base_users WHERE sandbox_key = ?1").bind(key);
  const [found] = await database.batch([find(database)]);
  expect([found?.results, await find(env.DB).first("base_id")]).toEqual([[{ base_id: "b1" }], "b1"]);
});
