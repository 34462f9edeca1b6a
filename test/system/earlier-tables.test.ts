// A state folder of an earlier version: nobody is answered, and no object wakes, before the
// database has the tables of this one.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useDatabaseAlone } from "../../practice/worker-runtime.ts";
import { newSecret } from "../../src/lib/ids.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

const migrations = "migrations/d1";
/** Fewer columns than the look for a key reads. */
const earliest = 12;

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  const names = (await readdir(migrations)).filter((name) => name.endsWith(".sql")).sort();
  const texts = await Promise.all(names.slice(0, earliest).map((name) => readFile(`${migrations}/${name}`, "utf8")));
  await useDatabaseAlone(`${world.stateDir}/cloudflare`, async (database) => {
    await database
      .prepare("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT, applied_at TIMESTAMP)")
      .run();
    await database.batch(
      texts.flatMap((text, index) => [
        database.prepare(text),
        database.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(names[index]),
      ]),
    );
  });
  await writeFile(`${world.stateDir}/dev.json`, JSON.stringify({ baseUrl: `http://localhost:${world.port}` }));
});
afterAll(async () => world?.remove());

test("the first requests find the tables of this version", async () => {
  const statuses = new Set<number>();
  const ask = async () => {
    const key = newSecret("svc_key_");
    const { status } = await fetch(`http://localhost:${world.port}/api/organizations`, {
      headers: { authorization: `Bearer ${key}` },
    });
    statuses.add(status);
  };
  let isReady = false;
  const ready = world.start().then(() => {
    isReady = true;
  });
  await until("the world to be ready", async () => {
    await ask().catch(() => {});
    return isReady;
  });
  await ready;
  expect([...statuses]).toEqual([401]);
});
