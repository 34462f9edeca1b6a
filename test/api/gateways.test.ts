// The endpoints for sandboxes: the model gateway, the git gateway and the turn link. Each accepts
// only the token of a running turn.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnOwner } from "../../src/chat/rules/chat.ts";
import { providers } from "../../src/model/providers.ts";
import type { ModelGrant } from "../../src/model/rules/grant.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import { issueToken, type SandboxToken } from "../../src/sandbox/token.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { readSigningKeys } from "../support/world-secrets.ts";

const world = previewWorld();
const owner = createClient(world);
const signingKeys = readSigningKeys(world);
const minute = 60_000;
let session: string;
/** The claims of the running turn's own token. */
let living: SandboxToken;
let endedTurnId: string;
let authToken: string;

beforeAll(async () => {
  const created = await owner.createSession({ title: "Gateways", content: script({ say: "Ready." }) });
  session = created.path;
  endedTurnId = (await owner.jobUntil(session, created.jobId)).id;
  const preview = await owner.get(`/api/projects/${world.projectId}/preview?sessionId=${created.id}`);
  authToken = new URL(preview.body.data.frontendUrls.web).searchParams.get("svc_auth") ?? "";
  const sent = await owner.send(session, `/svc:open-pr\n${script({ sleep: 600_000 }, { say: "never" })}`);
  const turnId = sent.body.data.chatJobId;
  await owner.jobUntil(session, turnId, ["running"]);
  const { sandboxKey } = preview.body.data;
  const { branch } = (await owner.get(session)).body.data.session;
  const { projectId, workspaceId } = world;
  const of: TurnOwner = { type: "session", id: created.id };
  const model: ModelGrant = { provider: "anthropic", model: "m", speed: null };
  const payer = { type: "workspace" } as const;
  living = { workspaceId, projectId, owner: of, sandboxKey, git: "push", branch, generation: 1, turnId, model, payer };
});

afterAll(() => owner.post(`${session}/jobs/chat/${living.turnId}/cancel`));

const issue = (changes: Partial<SandboxToken> = {}, key = signingKeys, lifetime = minute) =>
  issueToken(key, { ...living, ...changes }, Date.now() + lifetime);

const callBody = { model: "m", max_tokens: 16, messages: [{ role: "user", content: "hi" }] };
const modelCall = JSON.stringify(callBody);
const endpoints = {
  "the model gateway": (headers: Record<string, string>) =>
    exchange(world.baseUrl, {
      method: "POST",
      path: "/internal/models/anthropic/v1/messages",
      headers: { "content-type": "application/json", ...headers },
      body: modelCall,
    }),
  "the git gateway": (headers: Record<string, string>) =>
    exchange(world.baseUrl, {
      path: `/internal/git/${world.projectId}.git/info/refs?service=git-upload-pack`,
      headers,
    }),
  "the turn link": (headers: Record<string, string>) =>
    exchange(world.baseUrl, {
      path: "/internal/turn-link",
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    }),
};
type Endpoint = keyof typeof endpoints;
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
/** The body of one token with the signature of another. */
const spliced = (body: string, signature: string) =>
  `${body.slice(0, body.lastIndexOf("."))}${signature.slice(signature.lastIndexOf("."))}`;

describe("a forged or expired token grants access to no endpoint", () => {
  const credentials: Record<string, () => Record<string, string> | Promise<Record<string, string>>> = {
    "no token": () => ({}),
    "an API key": () => bearer(world.users.owner.apiKey),
    garbage: () => bearer("a.b"),
    "an empty token": () => bearer("."),
    "one signed with another key": async () => bearer(await issue({}, { SIGNING_KEY: "another signing key" })),
    "one whose content was changed": async () => bearer(spliced(await issue({ branch: "main" }), await issue())),
    "one that has expired": async () => bearer(await issue({}, signingKeys, -1)),
    "the Auth Token of a preview": () => bearer(authToken),
    "a good one under an unknown scheme": async () => ({ authorization: `Token ${await issue()}` }),
  };
  const table = Object.keys(credentials).flatMap((name) =>
    (Object.keys(endpoints) as Endpoint[]).map((endpoint): [string, Endpoint] => [name, endpoint]),
  );
  test.each(table)("%s at %s", async (name, endpoint) => {
    const answer = await endpoints[endpoint]((await credentials[name]?.()) ?? {});
    expect(answer.status).toBe(401);
    expect(answer.text).not.toMatch(/sk-practice-|refs\/heads/);
  });
});

describe("a token whose turn has ended is refused", () => {
  const claims: Record<string, () => Partial<SandboxToken>> = {
    "a turn that has ended": () => ({ turnId: endedTurnId }),
    "a turn that never was": () => ({ turnId: randomUUID() }),
    "the turn in another session": () => ({ owner: { type: "session", id: randomUUID() } }),
    "an older generation of the sandbox": () => ({ generation: 0 }),
  };
  const table = Object.keys(claims).flatMap((name) =>
    (["the model gateway", "the git gateway"] as const).map((endpoint): [string, Endpoint] => [name, endpoint]),
  );
  test.each(table)("%s at %s", async (name, endpoint) => {
    const answer = await endpoints[endpoint](bearer(await issue(claims[name]?.())));
    expect(answer.status).toBe(403);
    expect(answer.text).not.toMatch(/sk-practice-|refs\/heads/);
  });

  test("a model call is refused while its body is still being sent, however long it is", async () => {
    const headers = { ...bearer(await issue({ turnId: endedTurnId })), "content-type": "application/json" };
    const body = JSON.stringify({ messages: [{ role: "user", content: "and so on ".repeat(10_000) }] });
    for (let call = 0; call < 100; call++) {
      const url = `${world.baseUrl}/internal/models/anthropic/v1/messages`;
      const answer = await fetch(url, { method: "POST", headers, body });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("This turn is over.")]);
    }
  });

  test("the turn link of an ended turn is closed with the reason", async () => {
    const token = await issue({ turnId: endedTurnId });
    // Node's WebSocket takes headers, which the standard does not define.
    const options = { headers: bearer(token) } as unknown as string[];
    const socket = new WebSocket(`${world.baseUrl.replace("http", "ws")}/internal/turn-link`, options);
    const [event] = await once(socket, "close");
    expect(event.code).toBe(4001);
  });
});

describe("a token grants only what it names", () => {
  test("a task token can neither call a model nor open a turn link", async () => {
    const token = bearer(await issue({ turnId: null }));
    expect((await endpoints["the model gateway"](token)).status).toBe(401);
    expect((await endpoints["the turn link"](token)).status).toBe(401);
    expect((await endpoints["the git gateway"](token)).status).toBe(200);
  });

  test.each([
    ["none", 403, 403],
    ["fetch", 200, 403],
    ["push", 200, 200],
  ] as const)("to git that may %s, fetches answer %i and pushes %i", async (git, fetches, pushes) => {
    const token = bearer(await issue({ git }));
    expect((await endpoints["the git gateway"](token)).status).toBe(fetches);
    const path = `/internal/git/${world.projectId}.git/info/refs?service=git-receive-pack`;
    expect((await exchange(world.baseUrl, { path, headers: token })).status).toBe(pushes);
  });

  test("a token of another project grants no access to this project's repository", async () => {
    const token = bearer(await issue({ projectId: randomUUID(), turnId: null }));
    expect((await endpoints["the git gateway"](token)).status).toBe(401);
  });

  test("the token of a running turn's commands grants access to the repository only", async () => {
    const token = bearer(await issue({ isForGit: true }));
    expect((await endpoints["the git gateway"](token)).status).toBe(200);
    expect((await endpoints["the model gateway"](token)).status).toBe(401);
    expect((await endpoints["the turn link"](token)).status).toBe(401);
  });

  test("the token of a running turn grants access to the model and the repository", async () => {
    const token = bearer(await issue());
    const answer = await endpoints["the model gateway"](token);
    expect([answer.status, JSON.parse(answer.text).type]).toEqual([200, "message"]);
    expect((await endpoints["the git gateway"](token)).text).toMatch(/refs\/heads\/main/);
  });

  test.each([
    ["POST", "/internal/models/nobody/v1/messages"],
    ["POST", "/internal/models/anthropic/v1/models"],
    ["POST", "/internal/models/anthropic/v1/messages/batches"],
    ["POST", "/internal/models/anthropic/v1/messages/../models"],
    ["GET", "/internal/models/anthropic/v1/messages"],
    ["GET", "/internal/git/{project}.git/HEAD"],
    ["GET", "/internal/git/{project}.git/objects/info/packs"],
    ["GET", "/internal/git/{project}.git/../other/info/refs"],
  ])("no other path is forwarded: %s %s", async (method, path) => {
    const filled = path.replace("{project}", world.projectId);
    const answer = await exchange(world.baseUrl, { method, path: filled, headers: bearer(await issue()) });
    expect(answer.status).toBe(404);
  });
});

describe("the token of a running turn calls only the model of its grant, at that model's price", () => {
  const call = async (
    body: string,
    provider: ProviderId = "anthropic",
    headers: Record<string, string> = {},
    query = "",
  ) => {
    const path = `/internal/models/${provider}${providers[provider].callPath}${query}`;
    const sent = { "content-type": "application/json", ...bearer(await issue()), ...headers };
    const { status, text } = await exchange(world.baseUrl, { method: "POST", path, headers: sent, body });
    return [status, JSON.parse(text)];
  };
  const refused = (code: string, words: RegExp) => [
    403,
    { type: "error", error: { type: "permission_error", code, message: expect.stringMatching(words) } },
  ];

  test.each(["openai", "zai", "kimi"] as const)("but nothing of %s", async (provider) => {
    expect(await call(modelCall, provider)).toEqual(refused("model_not_granted", /runs on Anthropic/));
  });

  const long = { ...callBody, messages: [{ role: "user", content: "and so on ".repeat(200_000) }] };
  const source = { type: "url", url: "https://images.test/a.png" };
  const fetched = [{ role: "user", content: [{ type: "image", source }] }];
  test.each<[what: string, body: object, code: string]>([
    ["another model", { ...callBody, model: "claude-opus-4-8" }, "model_not_granted"],
    ["another model behind a long conversation", { ...long, model: "claude-opus-4-8" }, "model_not_granted"],
    ["a background run", { ...callBody, background: true }, "option_not_granted"],
    ["a stored answer", { ...callBody, store: true }, "option_not_granted"],
    ["a speed that costs more", { ...callBody, speed: "fast" }, "option_not_granted"],
    ["a tier that costs more", { ...callBody, service_tier: "priority" }, "option_not_granted"],
    [
      "a server of tools",
      { ...callBody, mcp_servers: [{ type: "url", url: "https://tools.test" }] },
      "option_not_granted",
    ],
    ["a search at the provider", { ...callBody, tools: [{ type: "web_search_20250305" }] }, "option_not_granted"],
    ["one behind a long conversation", { ...long, tools: [{ type: "web_search_20250305" }] }, "option_not_granted"],
    ["an image for the provider to fetch", { ...callBody, messages: fetched }, "option_not_granted"],
  ])("%s is refused", async (_, body, code) => {
    expect(await call(JSON.stringify(body))).toEqual(refused(code, /turn/));
  });

  test("a query, a version and a beta feature that the agent does not send are refused", async () => {
    expect(await call(modelCall, "anthropic", { "anthropic-beta": "mcp-client-2025-11-20" })).toEqual(
      refused("option_not_granted", /beta feature "mcp-client-2025-11-20"/),
    );
    expect(await call(modelCall, "anthropic", { "anthropic-version": "2099-01-01" })).toEqual(
      refused("option_not_granted", /version "2099-01-01"/),
    );
    expect(await call(modelCall, "anthropic", {}, "?beta=true&more=1")).toEqual(
      refused("option_not_granted", /a query/),
    );
    expect(await call(modelCall, "anthropic", {}, "?beta=true")).toEqual([
      200,
      expect.objectContaining({ type: "message" }),
    ]);
  });

  test("an unreadable call is refused", async () => {
    expect(await call("{")).toEqual(refused("unreadable_call", /one JSON object/));
    expect(await call(modelCall, "anthropic", { "content-encoding": "gzip" })).toEqual(
      refused("unreadable_call", /uncompressed/),
    );
  });

  test("a long conversation is forwarded complete", async () => {
    expect(await call(JSON.stringify(long))).toEqual([200, expect.objectContaining({ type: "message" })]);
  });
});

describe("a tool that the service runs", () => {
  const run = async (tool: string, body: string) => {
    const headers = { "content-type": "application/json", ...bearer(await issue()) };
    const path = `/internal/tools/${tool}`;
    const { status, text } = await exchange(world.baseUrl, { method: "POST", path, headers, body });
    return [status, text];
  };
  const long = JSON.stringify({ title: "Long", body: "ä".repeat(300 * 1_024) });

  test.each<[what: string, tool: string, body: string, status: number, words: RegExp]>([
    ["that there is not", "dance", "{}", 404, /no such tool/],
    ["on input that is too long", "open-pull-request", long, 413, /takes at most 512 KB/],
    ["on input that is no JSON", "open-pull-request", "{", 400, /not JSON/],
    ["on input that is no object", "open-pull-request", "[]", 400, /JSON object/],
    ["on no input", "open-pull-request", "", 400, /JSON object/],
    ["that the turn's message does not call", "ship", "{}", 403, /does not call for it/],
  ])("%s says so", async (_, tool, body, status, words) => {
    expect(await run(tool, body)).toEqual([status, expect.stringMatching(words)]);
  });
});

test("the endpoints of a stopped turn refuse its token", async () => {
  const { chatJobId } = await stopAndReplace();
  const token = bearer(await issue({ turnId: chatJobId }));
  expect((await endpoints["the model gateway"](token)).status).toBe(403);
  expect((await endpoints["the git gateway"](token)).status).toBe(403);
});

/** Stops the running turn and returns its id; another turn runs afterwards. */
async function stopAndReplace(): Promise<{ chatJobId: string }> {
  const stopped = living.turnId ?? "";
  await owner.post(`${session}/jobs/chat/${stopped}/cancel`);
  await owner.jobUntil(session, stopped);
  const sent = await owner.send(session, script({ sleep: 600_000 }, { say: "never" }));
  living = { ...living, turnId: sent.body.data.chatJobId };
  await owner.jobUntil(session, sent.body.data.chatJobId, ["running"]);
  return { chatJobId: stopped };
}
