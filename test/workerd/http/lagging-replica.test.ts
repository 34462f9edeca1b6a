// A replica of the database lags. On every route, the primary decides who the caller is: a key that
// was revoked and a member who has left are refused while a replica still has them.
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { endpoints } from "../../../src/endpoints.ts";
import { withReplicas } from "../../../src/storage/database.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const replica = env.EMPTY_DB;
/** The primary, whose sessions read from the replica unless they require the primary. */
const primary = new Proxy(env.DB, {
  get(database, name: keyof D1Database) {
    if (name === "withSession")
      return (constraint?: string) =>
        (constraint === "first-primary" ? database : replica).withSession(constraint ?? "first-unconstrained");
    const value = database[name];
    return typeof value === "function" ? value.bind(database) : value;
  },
});

let workspaceId: string;
/** The tokens of two members: the key of the first is revoked, and the second has left. */
let [revoked, left] = ["", ""];

beforeAll(async () => {
  await applyD1Migrations(replica, env.MIGRATIONS);
  const added = await addWorkspaceWith({ owner: "owner", member: "member" });
  ({ workspaceId } = added);
  const issue = async (userId: string) => (await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, 0)).token;
  [revoked, left] = [await issue(added.users.owner), await issue(added.users.member)];
  for (const table of ["users", "workspaces", "members", "keys"]) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
    for (const row of results) {
      const names = Object.keys(row);
      const marks = names.map(() => "?").join(", ");
      const insertion = replica.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${marks})`);
      await insertion.bind(...Object.values(row)).run();
    }
  }
  await env.DB.prepare("DELETE FROM keys WHERE user_id = ?1").bind(added.users.owner).run();
  await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(added.users.member).run();
});

/** The code with which an endpoint refuses the caller; null if it does not. */
async function call({ method, path, serve }: (typeof endpoints)[number], token: string, database: D1Database) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const params = Object.fromEntries(
    names.map((name) => [name, name === "workspaceId" ? workspaceId : crypto.randomUUID()]),
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = method === "GET" || method === "DELETE" ? null : "{}";
  const request = new Request(`http://service.test${path}`, { method, headers, body });
  const outcome = await serve(request, { ...unlimitedEnv, DB: database }, params);
  return "code" in outcome ? outcome.code : null;
}

const known = endpoints.filter(({ access }) => access !== "public");

test("every route refuses a revoked key that a replica still has", async () => {
  expect(known.length).toBeGreaterThan(100);
  for (const endpoint of known) expect(await call(endpoint, revoked, primary), endpoint.operation).toBe("UNAUTHORIZED");
});

test("every route of a workspace refuses a member whom a replica still has", async () => {
  const ofWorkspace = known.filter(({ path }) => path.includes("{workspaceId}"));
  expect(ofWorkspace.length).toBeGreaterThan(30);
  for (const endpoint of ofWorkspace) expect(await call(endpoint, left, primary), endpoint.operation).toBe("FORBIDDEN");
});

test("a route that read from the replica would let both in", async () => {
  const read = known.filter(({ operation }) => operation === "readWorkspace");
  expect(read.length).toBe(1);
  for (const endpoint of read)
    for (const token of [revoked, left]) expect(await call(endpoint, token, withReplicas(primary))).toBe(null);
});
