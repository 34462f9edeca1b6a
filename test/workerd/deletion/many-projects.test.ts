// The deletion of a workspace of 490 projects: each alarm deletes a page of them, and what fails or
// is interrupted is deleted later.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getDeletionObject } from "../../../durable-objects/address.ts";
import { findDeletion } from "../../../src/deletion/queries.ts";
import { captureLog } from "../support/captured-log.ts";
import { countAlarms } from "../support/counted-calls.ts";

const count = 490;
const pages = Math.ceil(count / 50);
const until = (read: () => unknown) => expect.poll(read, { interval: 20 });

/** Records the deletion of a workspace, as the request for it does. */
async function addRemoval() {
  const name = { type: "workspace", id: crypto.randomUUID() } as const;
  const projects = Array.from({ length: count }, (_, at) => ({
    id: `${name.id} ${at}`,
    mainSandboxKey: `m${name.id}${at}`,
  }));
  await env.DB.batch([
    env.DB.prepare("INSERT INTO removals (type, id, projects, created_at) VALUES ('workspace', ?1, ?2, ?3)").bind(
      name.id,
      JSON.stringify(projects),
      Date.now(),
    ),
    env.DB.prepare("INSERT INTO share_links (slug, project_id, sandbox_key, created_at) VALUES (?1, ?2, 'm', 0)").bind(
      name.id,
      projects[0]?.id,
    ),
  ]);
  return { name, projects };
}

function createWorld(failing: (id: string) => boolean) {
  const [removed, destroyed]: [string[], string[]] = [[], []];
  const PROJECT = {
    getByName: (id: string) => ({
      async delete() {
        if (failing(id)) throw new Error("out of reach");
        removed.push(id);
      },
    }),
  };
  const SANDBOX = { getByName: (key: string) => ({ destroy: async () => void destroyed.push(key) }) };
  return { bindings: { ...env, PROJECT, SANDBOX }, removed, destroyed };
}

const linksLeft = async (slug: string) =>
  (await env.DB.prepare("SELECT slug FROM share_links WHERE slug = ?1").bind(slug).all()).results.length;

test("each page is an invocation of its own, and what fails is deleted after all others", async () => {
  captureLog();
  const { name, projects } = await addRemoval();
  let hasFailed = false;
  const { bindings, removed, destroyed } = createWorld((id) => {
    const fails = id === projects[3]?.id && !hasFailed;
    hasFailed ||= fails;
    return fails;
  });
  const alarms = await countAlarms(getDeletionObject(env, name), bindings);
  await getDeletionObject(env, name).start(name);
  await until(() => linksLeft(name.id)).toBe(0);
  expect(removed.toSorted()).toEqual(projects.map(({ id }) => id).toSorted());
  // It was added with the last page.
  expect(removed.indexOf(projects[3]?.id ?? "")).toBeGreaterThan(count - 50);
  expect(new Set(destroyed)).toEqual(new Set(projects.map(({ mainSandboxKey }) => mainSandboxKey)));
  expect(alarms.length).toBe(pages);
  // Two calls for each project, and the reads of what else is left.
  expect(Math.max(...alarms)).toBeLessThan(120);
  expect(await findDeletion(env.DB, name)).not.toBeNull();
});

test("an object that stops between pages continues after the last one", async () => {
  const { name, projects } = await addRemoval();
  const first = createWorld(() => false);
  const stops = { getByName: (id: string) => (first.removed.length < 150 ? first.bindings.PROJECT.getByName(id) : {}) };
  captureLog();
  await countAlarms(getDeletionObject(env, name), { ...first.bindings, PROJECT: stops });
  await getDeletionObject(env, name).start(name);
  await until(() => first.removed.length).toBe(150);
  await evictDurableObject(getDeletionObject(env, name));
  const second = createWorld(() => false);
  await countAlarms(getDeletionObject(env, name), second.bindings);
  await getDeletionObject(env, name).start(name);
  await until(() => linksLeft(name.id)).toBe(0);
  expect([...first.removed, ...second.removed].sort()).toEqual(projects.map(({ id }) => id).sort());
});
