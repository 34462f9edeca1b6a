// Services outside that answer without an end: whatever asked gives its usual refusal, and closes
// the connection.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exchangeCode } from "../../src/account/code-host-sign-in.ts";
import { createGithubCall } from "../../src/code-host/github/call.ts";
import type { Env } from "../../src/env.ts";
import { callOnSubscription } from "../../src/model-gateway/subscription-call.ts";
import { callWithCredential } from "../../src/model-gateway/upstream.ts";
import { openInForce } from "../../src/network/rules/network.ts";
import { sendNotification } from "../../src/notification/apns.ts";
import type { Notification } from "../../src/notification/rules/notification.ts";
import { startOnDevice } from "../../src/provider-login/connect/device-flow.ts";
import { readAccount } from "../../src/provider-login/connect/oauth-client.ts";
import { requestTokens } from "../../src/provider-login/connect/token-endpoint.ts";
import { sealTokens } from "../../src/provider-login/credentials.ts";
import { readPlanUsage } from "../../src/provider-login/plan-usage.ts";
import type { LoginRow } from "../../src/provider-login/queries/logins.ts";
import { getWorkspaceLogin, type LoginName } from "../../src/provider-login/rules/login.ts";
import { tryKey } from "../../src/provider-login/try-key.ts";
import { errorBodyBytes } from "../../src/rules/limits.ts";
import { createHostDriver } from "../../src/sandbox/program/host-driver.ts";
import { noSpend } from "../../src/usage/rules/spend-limit.ts";

/** Far more than any limit and what two sockets hold. A reader without a limit ends here. */
const mostSent = 96 * 2 ** 20;

let status: number;
let url: string;
let endedBy: Promise<"client" | "server">;
let close: () => void;

beforeEach(async () => {
  const ended = Promise.withResolvers<"client" | "server">();
  endedBy = ended.promise;
  const piece = Buffer.alloc(64 * 1_024, "x");
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" });
    response.on("close", () => ended.resolve(sent < mostSent ? "client" : "server"));
    let sent = 0;
    function send(): void {
      while (!response.destroyed) {
        if (sent >= mostSent) return void response.end();
        sent += piece.length;
        if (!response.write(piece)) return void response.once("drain", send);
      }
    }
    response.write('{"error":{"message":"');
    send();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close().closeAllConnections();
});
afterEach(() => close());

const client = () => ({ clientId: "c", tokenUrl: url, deviceUrl: url, userInfoUrl: url });
const signInClient = () => ({ webUrl: url, apiUrl: url, clientId: "c", clientSecret: "s", callbackUrl: url });
const settings = () =>
  ({
    PROVIDER_URLS: JSON.stringify({ anthropic: url, openai: url }),
    SEALING_KEYS: `k:${Buffer.alloc(32, 1).toString("base64url")}`,
  }) as unknown as Env;
const modelCall = () => new Request("http://service.test", { method: "POST", body: '{"input":[]}' });
const github = () =>
  createGithubCall({ apiUrl: url, credential: async () => "t" })(
    { method: "GET", path: "/x" },
    AbortSignal.timeout(60_000),
  );
const shown = async (answer: Response) => ({ status: answer.status, bytes: (await answer.arrayBuffer()).byteLength });

/** With a second login, the body is held: Node streams no request without a further option. */
async function callOnMembersKey(): Promise<Response> {
  const env = settings();
  const name: LoginName = { owner: { type: "member", id: "mia" }, provider: "anthropic", id: "login" };
  const sealed = await sealTokens(env, name, { accessToken: "a", refreshToken: "r" });
  const login: LoginRow = {
    ...({ ownerType: "member", ownerId: "mia", provider: "anthropic", kind: "key" } as const),
    ...{ id: name.id, place: 0, sealed, fingerprint: null, label: "", maskedKey: null, accountEmail: null },
    ...{ expiresAt: null, needsReauth: false, exhaustedUntil: null, authenticatedAt: 0 },
  };
  return await callOnSubscription(env, {
    ...{
      payer: { type: "member", userId: "mia" },
      person: null,
      isMember: true,
      logins: [login, { ...login, id: "next", place: 1 }],
    },
    ...{ spend: noSpend, provider: "anthropic", path: "/v1/messages", request: modelCall() },
  });
}

const name = getWorkspaceLogin("ws", "openai");
const onKey = () =>
  callWithCredential(settings(), {
    ...{ name, credential: { kind: "key", apiKey: "sk" }, path: "/v1/responses", request: modelCall() },
  });
const apns = () => ({ keyId: "", teamId: "", privateKey: "", urls: { sandbox: url, production: url } });
const device = { token: "0".repeat(64), bundleId: "com.example.app", environment: "production" } as const;
const notice: Notification = {
  ...({ id: "n", kind: "job_failed", workspaceId: "ws", projectId: "p", sessionId: "s", turnId: "t" } as const),
  ...{ run: null, title: "Fix the board", userId: "usr", at: 0 },
};
const unavailable = { code: "SERVICE_UNAVAILABLE" };

test.each<[what: string, status: number, ask: () => Promise<unknown>, outcome: unknown]>([
  [
    "an error to a model call on a member's key",
    500,
    async () => shown(await callOnMembersKey()),
    { status: 500, bytes: errorBodyBytes },
  ],
  [
    "an error to a model call of a workspace",
    400,
    async () => shown(await onKey()),
    { status: 400, bytes: errorBodyBytes },
  ],
  ["the refusal of a key that is tried", 403, () => tryKey(settings(), name, "sk"), { code: "BAD_REQUEST" }],
  ["an error about usage", 500, () => readPlanUsage(settings(), "openai", "sk"), { type: "unavailable" }],
  ["the usage of a login", 200, () => readPlanUsage(settings(), "openai", "sk"), { type: "unavailable" }],
  ["the refusal of a grant", 400, () => requestTokens(client(), { type: "refresh_token" }), { type: "unavailable" }],
  ["new tokens", 200, () => requestTokens(client(), { type: "refresh_token" }), { type: "unavailable" }],
  ["an account's name", 200, () => readAccount(client(), "a"), null],
  ["an error about an account", 500, () => readAccount(client(), "a"), null],
  ["the start of a sign-in by device", 200, () => startOnDevice(client()), null],
  ["the refusal of a sign-in by device", 400, () => startOnDevice(client()), null],
  [
    "a refusal of the code host",
    422,
    github,
    { code: "BAD_REQUEST", message: "The code host refused: no reason given" },
  ],
  ["an answer of the code host", 200, github, unavailable],
  ["tokens of the code host", 200, () => exchangeCode(signInClient(), "c", "v"), unavailable],
  [
    "a refusal of the push service",
    400,
    () => sendNotification(apns(), "t", device, notice),
    { status: 400, reason: null },
  ],
  [
    "a failed start at the sandbox host",
    500,
    () => createHostDriver(url, "s").start("s", openInForce).catch(String),
    expect.stringMatching(/answered 500/),
  ],
  [
    "the state of a sandbox",
    200,
    () => createHostDriver(url, "s").isRunning().catch(String),
    expect.stringMatching(/more than/),
  ],
])("%s", async (_, answered, ask, outcome) => {
  status = answered;
  const result = await ask();
  expect(await endedBy).toBe("client");
  if (typeof outcome === "object" && outcome !== null && !("asymmetricMatch" in outcome)) {
    expect(result).toMatchObject(outcome);
  } else expect(result).toEqual(outcome);
});
