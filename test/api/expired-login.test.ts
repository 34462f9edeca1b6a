// Sessions that encounter an expired login of their workspace: it is refreshed once, and all of
// them continue.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sealTokens } from "../../src/provider-login/credentials.ts";
import { getWorkspaceLogin } from "../../src/provider-login/rules/login.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const name = getWorkspaceLogin(world.workspaceId, "openai");
const hour = 3_600_000;

let before: Record<string, unknown> | undefined;
beforeAll(async () => {
  [before] = await sql("SELECT * FROM provider_logins WHERE id = ?", name.id);
});
afterAll(() => put(before?.kind, before?.sealed, before?.expires_at));

async function put(kind: unknown, sealed: unknown, expiresAt: unknown): Promise<void> {
  await sql(
    "UPDATE provider_logins SET kind = ?, sealed = ?, expires_at = ?, needs_reauth = 0 WHERE id = ?",
    ...[kind, sealed, expiresAt, name.id],
  );
}

/** The sealed tokens of a login; its access token is valid until then. */
async function plantTokens(login: string, expiresAt: number, refreshToken = `practice-refresh-${login}.1`) {
  const tokens = { accessToken: `practice-access-${expiresAt}-${login}.1`, refreshToken };
  return await sealTokens({ SEALING_KEYS: readSecrets(world).sealingKeys }, name, tokens);
}

async function refreshes(): Promise<number> {
  const answer = await fetch(`${world.providerUrl}/openai/oauth/count`);
  return ((await answer.json()) as { refreshes: number }).refreshes;
}

async function runFirstMessage(title: string) {
  const content = script({ bash: "echo on it" }, { say: `${title} is done.` });
  const { path, jobId } = await owner.createSession({ title, content, model: "openai:gpt__medium" });
  return await owner.jobUntil(path, jobId);
}

test("six concurrent sessions cause one refresh, and all complete", async () => {
  const count = await refreshes();
  await put("login", await plantTokens("expired", Date.now() - hour), Date.now() - hour);
  const jobs = await Promise.all(Array.from({ length: 6 }, (_, place) => runFirstMessage(`Expired ${place}`)));
  expect(jobs.map(({ status, error }) => [status, error])).toEqual(jobs.map(() => ["completed", null]));
  expect(await refreshes()).toBe(count + 1);
});

test("a token that the provider refuses before its expiry is refreshed too", async () => {
  const count = await refreshes();
  await put("login", await plantTokens("early", Date.now() - hour), Date.now() + hour);
  expect(await runFirstMessage("Early")).toMatchObject({ status: "completed", error: null });
  expect(await refreshes()).toBe(count + 1);
});

test("a login that cannot be refreshed fails the turn with a request to reconnect it", async () => {
  await put("login", await plantTokens("gone", Date.now() - hour, "unknown to the provider"), Date.now() - hour);
  const { status, error, errorCode } = await runFirstMessage("Gone");
  expect([status, errorCode]).toEqual(["failed", "provider_unauthorized"]);
  expect(error).toContain("connect OpenAI again");
});
