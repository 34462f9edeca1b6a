// The payer that a turn caches from its start on: its model calls query D1 only after a change, and
// a change takes effect with the next call.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { forwardModelCall } from "../../../src/model-gateway/gateway-route.ts";
import { listPayerLogins } from "../../../src/model-gateway/payer.ts";
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import {
  deleteWorkspaceCredential,
  saveWorkspaceCredential,
} from "../../../src/provider-login/workspace-credential.ts";
import { issueToken } from "../../../src/sandbox/token.ts";
import { updateWorkspace } from "../../../src/workspace/update.ts";
import { opusGrant } from "../support/opus-grant.ts";
import { standIn } from "../support/outside.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";

const product = env as unknown as Env;
const oneCent = { type: "message", usage: { input_tokens: 500, output_tokens: 400 } };
const at = { payer: workspacePays, provider: "anthropic" } as const;
let workspaceId: string;
let driver: SessionDriver;
let turnId: string;
/** The keys of the calls to the provider. */
let used: (string | null)[];
let queries: number;
let isRefusing: boolean;

const counting: Env = {
  ...product,
  DB: new Proxy(product.DB, {
    get(target, name) {
      if (name === "prepare") queries += 1;
      return Reflect.get(target, name).bind(target);
    },
  }),
};

beforeEach(async () => {
  ({ workspaceId } = await addWorkspaceWith({ mia: "member" }));
  [used, isRefusing] = [[], false];
  const end = standIn("https://api.anthropic.com", ({ headers }) => {
    used.push(headers.get("x-api-key"));
    return isRefusing ? Response.json({ error: { message: "no" } }, { status: 401 }) : Response.json(oneCent);
  });
  await put("sk-key-number-one-0001");
  driver = await beginSession(null, { workspaceId, model: "anthropic:opus__high" });
  turnId = await driver.startTurn("hello");
  await driver.settled();
  [used, queries] = [[], 0];
  return end;
});

const put = (apiKey: string) => saveWorkspaceCredential(product, { workspaceId, provider: "anthropic", apiKey }, 0);

/** Makes a model call of a session's turn. Returns the code of its refusal, or "answered". */
async function call(from = { id: driver.id, turnId }): Promise<string> {
  const { id, turnId } = from;
  const owner = { type: "session", id } as const;
  const claims = { workspaceId, projectId: "p", owner, sandboxKey: "s", git: "push", branch: "b" } as const;
  const token = await issueToken(product, { ...claims, ...opusGrant, generation: 1, turnId }, Date.now() + 60_000);
  const headers = { "x-api-key": token };
  const request = new Request("http://service.test", { method: "POST", headers, body: '{"model":"opus"}' });
  const answer = await forwardModelCall(request, counting, "anthropic", "/v1/messages");
  const { error } = (await answer.json()) as { error?: { code: string } };
  return error?.code ?? "answered";
}

test("the calls of a turn query D1 only after a change, and then once", async () => {
  for (const _ of [1, 2, 3]) expect(await call()).toBe("answered");
  expect(queries).toBe(0);
  await driver.session().forgetLogins();
  for (const _ of [1, 2, 3]) expect(await call()).toBe("answered");
  expect(queries).toBe(1);
});

test("a credential that is replaced before the first call is not used", async () => {
  await put("sk-key-number-two-0002");
  used = [];
  expect([await call(), used]).toEqual(["answered", ["sk-key-number-two-0002"]]);
});

test("a limit that is set before the first call applies to it", async () => {
  await updateWorkspace(product, workspaceId, { spendLimitUsd: 0 });
  expect(await call()).toBe("credit_limit_reached");
});

test("a credential that is replaced or deleted takes effect with the next call", async () => {
  await call();
  await put("sk-key-number-two-0002");
  used = [];
  expect([await call(), used]).toEqual(["answered", ["sk-key-number-two-0002"]]);
  await deleteWorkspaceCredential(product, workspaceId, "anthropic");
  expect(await call()).toBe("provider_unauthorized");
});

test("a limit that is set takes effect with the next call, and the calls before it count too", async () => {
  await call();
  await updateWorkspace(product, workspaceId, { spendLimitUsd: 0.01 });
  expect(await call()).toBe("credit_limit_reached");
  await updateWorkspace(product, workspaceId, { spendLimitUsd: null });
  expect(await call()).toBe("answered");
});

test("what was read before a change is not cached after it", async () => {
  using opened = await driver.session().startModelCall({ turnId, generation: 1 }, at);
  if (opened.type !== "open") throw new Error(opened.message);
  const read = await listPayerLogins(product, { workspaceId, ...at, workId: turnId, ownerId: driver.id });
  expect(read.isTurnIndexed).toBe(true);
  await deleteWorkspaceCredential(product, workspaceId, "anthropic");
  await opened.counter.cacheLogins(read);
  expect(await call()).toBe("provider_unauthorized");
});

test("the mark of a refused key is cleared by the next success of any turn, which then queries D1 no more", async () => {
  const readMark = () =>
    env.DB.prepare("SELECT needs_reauth FROM provider_logins WHERE owner_id = ?1").bind(workspaceId).first();
  const second = await beginSession(null, { workspaceId, model: "anthropic:opus__high" });
  const other = { id: second.id, turnId: await second.startTurn("hello") };
  await second.settled();
  expect(await call(other)).toBe("answered");
  isRefusing = true;
  await call();
  expect(await readMark()).toEqual({ needs_reauth: 1 });
  isRefusing = false;
  expect(await call(other)).toBe("answered");
  expect(await readMark()).toEqual({ needs_reauth: 0 });
  await call(other);
  queries = 0;
  expect([await call(other), queries]).toEqual(["answered", 0]);
  isRefusing = true;
  await call(other);
  expect(await readMark()).toEqual({ needs_reauth: 1 });
});
