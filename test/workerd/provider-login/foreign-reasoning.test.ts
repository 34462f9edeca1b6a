// A conversation whose reasoning was encrypted for another account, such as that of a previous
// payer: it continues without that reasoning.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { callWithCredential } from "../../../src/model-gateway/upstream.ts";
import { getWorkspaceLogin } from "../../../src/provider-login/rules/login.ts";
import { standIn } from "../support/outside.ts";

const settings = env as unknown as Env;
let bodies: { input: { type?: string; id?: string }[] }[];
let error: { code: string; message: string };
let end: () => void;

beforeEach(() => {
  bodies = [];
  error = { code: "invalid_encrypted_content", message: "The encrypted content could not be verified." };
  end = standIn("https://api.openai.com/v1/responses", async (request) => {
    const body = await request.json<(typeof bodies)[number]>();
    bodies.push(body);
    const isForeign = body.input.some(({ type }) => type === "reasoning");
    return isForeign ? Response.json({ error }, { status: 400 }) : Response.json({ status: "completed" });
  });
});
afterEach(() => end());

function call() {
  const input = [{ role: "user" }, { type: "reasoning", id: "rs_1" }, { type: "message", id: "msg_1" }];
  const request = new Request("http://service.test", { method: "POST", body: JSON.stringify({ input }) });
  const credential = { kind: "key", apiKey: "sk-of-the-workspace" } as const;
  return callWithCredential(settings, {
    name: getWorkspaceLogin("ws", "openai"),
    credential,
    path: "/v1/responses",
    request,
  });
}

test("a call on the workspace's key is sent once more, without the reasoning and the ids that go with it", async () => {
  expect((await call()).status).toBe(200);
  expect(bodies.map(({ input }) => input.length)).toEqual([3, 2]);
  expect(bodies[1]?.input).toEqual([{ role: "user" }, { type: "message" }]);
});

test("another refusal is returned unchanged, once", async () => {
  error = { code: "context_length_exceeded", message: "Too long." };
  const answer = await call();
  expect([answer.status, await answer.json(), bodies.length]).toEqual([400, { error }, 1]);
});
