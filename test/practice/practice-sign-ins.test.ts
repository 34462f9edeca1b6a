// Signing in at the practice provider as a person and a service do it: pages, codes with PKCE,
// device codes, revocation, a restart.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PracticeProvider, startPracticeProvider } from "../../practice/model-provider/provider.ts";

let folder: string;
let provider: PracticeProvider;
const start = () => startPracticeProvider({ file: join(folder, "sign-ins.json") });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "practice-sign-ins-"));
  provider = await start();
});
afterAll(async () => {
  await provider.close();
  await rm(folder, { recursive: true });
});

const at = (path: string) => `${provider.url}/anthropic/oauth/${path}`;
const createChallenge = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

function authorizeUrl(state: string, verifier = "verifier"): string {
  const query = { client_id: "practice", redirect_uri: at("code"), state, scope: "models" };
  const pkce = { code_challenge: createChallenge(verifier), code_challenge_method: "S256" };
  return `${at("authorize")}?${new URLSearchParams({ ...query, ...pkce })}`;
}

/** Opens a page, fills its one form in and presses a button, as a browser does. */
async function submit(url: string, fields: Record<string, string>, button: "Approve" | "Deny") {
  const page = await (await fetch(url)).text();
  expect(page.match(/<form/g)).toHaveLength(1);
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? "";
  const hidden = [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
    name ?? "",
    value ?? "",
  ]);
  const body = new URLSearchParams([...hidden, ...Object.entries(fields)]);
  if (button === "Deny") body.set("deny", "yes");
  const answer = await fetch(new URL(action, url), { method: "POST", body });
  return { url: answer.url, text: await answer.text() };
}

async function post(path: string, form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: "practice", ...form });
  const answer = await fetch(at(path), { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const redeem = (code: string, verifier = "verifier", redirect_uri = at("code")) =>
  post("token", { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri });

async function codeFor(state: string, fields: Record<string, string> = {}): Promise<string> {
  const { text } = await submit(authorizeUrl(state), fields, "Approve");
  return /<code>([^<#]+)#/.exec(text)?.[1] ?? "";
}

async function readAccount(accessToken = ""): Promise<unknown> {
  const answer = await fetch(at("userinfo"), { headers: { authorization: `Bearer ${accessToken}` } });
  return answer.ok ? await answer.json() : answer.status;
}

describe("a sign-in in the browser", () => {
  test("ends on a page with the code and the state, which has no form", async () => {
    const { url, text } = await submit(authorizeUrl("st4te"), {}, "Approve");
    const { code, state } = Object.fromEntries(new URL(url).searchParams);
    expect(text).toContain(`<code>${code}#st4te</code>`);
    expect([state, text.includes("<form")]).toEqual(["st4te", false]);
  });

  test("has the address that was typed, or one derived from its state", async () => {
    const typed = (await redeem(await codeFor("a", { email: "mia@example.com" }))).body;
    expect(await readAccount(typed.access_token)).toEqual({
      sub: "anthropic|mia@example.com",
      email: "mia@example.com",
    });
    const [one, same, other] = await Promise.all(
      ["b", "b", "c"].map(async (state) => await readAccount((await redeem(await codeFor(state))).body.access_token)),
    );
    expect(one).toEqual(same);
    expect(one).not.toEqual(other);
  });

  test("gives a code that works once, only with its verifier", async () => {
    const refused = { status: 400, body: { error: "invalid_grant" } };
    const code = await codeFor("d");
    expect(await redeem(code, "another")).toEqual(refused);
    expect(await redeem(code)).toEqual(refused);
    const next = await codeFor("d");
    expect((await redeem(next)).status).toBe(200);
    expect(await redeem(next)).toEqual(refused);
  });

  test("gives none where it is denied, or asked without PKCE", async () => {
    const { url, text } = await submit(authorizeUrl("e"), {}, "Deny");
    expect(url).toContain("error=access_denied");
    expect(text).not.toMatch(/<form|<code>/);
    expect((await fetch(authorizeUrl("e").replace("S256", "plain"))).status).toBe(400);
  });
});

describe("a device code", () => {
  const begin = async () => (await post("device/code", {})).body;
  const poll = async (device_code = "") =>
    (await post("token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code })).body;

  test("waits, reports polls that come too soon, and is approved by its user code", async () => {
    const device = await begin();
    const polls = await Promise.all([poll(device.device_code), poll(device.device_code)]);
    expect(polls).toEqual(expect.arrayContaining([{ error: "authorization_pending" }, { error: "slow_down" }]));
    const page = device.verification_uri ?? "";
    const wrong = await submit(page, { user_code: "NOPE" }, "Approve");
    expect(wrong.text).toContain("<form");
    const { text } = await submit(page, { user_code: device.user_code?.toLowerCase() ?? "" }, "Approve");
    expect(text).not.toContain("<form");
    expect(await poll(device.device_code)).toMatchObject({ token_type: "Bearer" });
    expect(await poll(device.device_code)).toEqual({ error: "expired_token" });
  });

  test("that is denied is over", async () => {
    const device = await begin();
    await submit(device.verification_uri ?? "", { user_code: device.user_code ?? "" }, "Deny");
    expect([await poll(device.device_code), await poll(device.device_code)]).toEqual([
      { error: "access_denied" },
      { error: "expired_token" },
    ]);
  });
});

test("a revoked login is over, and a restart changes nothing of the others", async () => {
  const [gone, kept] = await Promise.all(["f", "g"].map(async (state) => (await redeem(await codeFor(state))).body));
  const code = await codeFor("h");
  await post("revoke", { token: gone?.refresh_token ?? "" });
  const redirectUri = at("code");
  await provider.close();
  provider = await start();
  const refresh = (token = "") => post("token", { grant_type: "refresh_token", refresh_token: token });
  expect(await refresh(gone?.refresh_token)).toEqual({ status: 400, body: { error: "invalid_grant" } });
  expect(await readAccount(gone?.access_token)).toBe(401);
  expect((await refresh(kept?.refresh_token)).status).toBe(200);
  expect((await redeem(code, "verifier", redirectUri)).status).toBe(200);
});

describe("what an account's address or a key begins with", () => {
  async function call(credential: string, { answers = 0, stream = false, max_tokens = 100 } = {}) {
    const turns = Array.from({ length: answers }, () => [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hi" },
    ]);
    const messages = [...turns.flat(), { role: "user", content: "hi" }];
    const answer = await fetch(`${provider.url}/anthropic/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}` },
      body: JSON.stringify({ model: "m", max_tokens, stream, messages }),
    });
    return { status: answer.status, text: await answer.text() };
  }
  const signedIn = async (email: string) => (await redeem(await codeFor(email, { email }))).body.access_token ?? "";

  // biome-ignore format: a table is read by its columns.
  test.each<[start: string, request: object, status: number, text: RegExp]>([
    ["good",              {},                            200, /practice/i],
    ["limit-after-2",     { answers: 1 },                200, /practice/i],
    ["limit-after-2",     { answers: 2 },                429, /usage limit/],
    ["revoked-after-1",   { answers: 0 },                200, /practice/i],
    ["revoked-after-1",   { answers: 1 },                401, /revoked/],
    ["limit-stream",      { stream: true },              200, /^event: message_start(?!.*content_block).*event: error.*usage limit/s],
    ["limit-midway",      { stream: true },              200, /content_block_stop.*event: error.*usage limit/s],
    ["expired",           { max_tokens: 16 },            200, /practice/i],
    ["expired",           {},                            401, /authentication_error/],
    ["basic",             {},                            403, /does not include/],
  ])("%s, asked with %j", async (start, request, status, text) => {
    for (const credential of [`sk-practice-${start}-0123`, await signedIn(`${start}-somebody@example.com`)]) {
      const answer = await call(credential, request);
      expect(answer.status).toBe(status);
      expect(answer.text).toMatch(text);
    }
  });

  test("a revoked account gets no new tokens, and the first token of a stale one expires immediately", async () => {
    const [revoked, stale] = await Promise.all(
      ["revoked-after-0-a@example.com", "stale-a@example.com"].map(
        async (email) => (await redeem(await codeFor(email, { email }))).body,
      ),
    );
    await call(revoked?.access_token ?? "");
    const refresh = (token = "") => post("token", { grant_type: "refresh_token", refresh_token: token });
    expect((await refresh(revoked?.refresh_token)).status).toBe(400);
    expect(stale?.expires_in).toBe(1);
    const fresh = await refresh(stale?.refresh_token);
    expect((await call(fresh.body.access_token ?? "")).status).toBe(200);
  });

  test("every call is listed below the private address, with the end of its credential", async () => {
    expect((await fetch(`${provider.url}/practice/calls`)).status).toBe(404);
    await call("sk-practice-limit-xyz9");
    const { calls } = (await (await fetch(`${provider.privateUrl}/practice/calls`)).json()) as { calls: object[] };
    expect(calls.at(-1)).toEqual({
      at: expect.any(String),
      provider: "anthropic",
      credential: "xyz9",
      account: null,
      model: "m",
      answer: "limit_reached",
    });
  });
});

test("encrypted reasoning is accepted only from its own account", async () => {
  const ask = async (key: string, reasoning: object[]) => {
    const input = [{ role: "user", content: "hi" }, ...reasoning, { role: "user", content: "again" }];
    const answer = await fetch(`${provider.url}/openai/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "m", include: ["reasoning.encrypted_content"], input }),
    });
    return (await answer.json()) as { output?: { type: string }[]; error?: { code: string } };
  };
  const [first, ...rest] = (await ask("sk-practice-one", [])).output ?? [];
  expect([first?.type, rest.map(({ type }) => type)]).toEqual(["reasoning", ["message"]]);
  expect(await ask("sk-practice-one", [first ?? {}])).toMatchObject({ status: "completed" });
  expect(await ask("sk-practice-two", [first ?? {}])).toMatchObject({ error: { code: "invalid_encrypted_content" } });
});
