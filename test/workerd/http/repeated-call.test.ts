// Reads, and writes with an Idempotency-Key, are repeated once if their object is reset meanwhile;
// nothing else is.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Env } from "../../../src/env.ts";
import { addEndpoints, publicEndpoint } from "../../../src/http/endpoint.ts";
import { ok } from "../../../src/http/response.ts";
import { turnRoutes } from "../../../src/session/routes/turns.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const reset = { retryable: true };

test.each<[string, "GET" | "POST", object[], number, number]>([
  ["a read of an object that was reset", "GET", [reset], 200, 2],
  ["a read that fails again", "GET", [reset, reset, reset], 503, 2],
  ["a read that fails for another reason then", "GET", [reset, {}], 500, 2],
  ["a read that fails for another reason", "GET", [{}], 500, 1],
  ["a read of an object that has too much to do", "GET", [{ retryable: true, overloaded: true }], 503, 1],
  ["a write without a key", "POST", [reset], 500, 1],
])("%s", async (_, method, failures, status, tries) => {
  let tried = 0;
  const app = new Hono<{ Bindings: Env; Variables: object }>();
  const described = {
    operation: "try",
    summary: "Try.",
    tag: "Account",
    response: { status: 200, data: z.object({}) },
  } as const;
  addEndpoints(app, [
    publicEndpoint({
      ...described,
      ...{ method, path: "/tried" },
      async handle() {
        const failure = failures[tried++];
        if (failure) throw Object.assign(new Error("the object was reset"), failure);
        return ok({});
      },
    }),
  ]);
  app.onError((_, context) => context.text("broken", 500));
  const answer = await app.request("/tried", { method }, env as unknown as Env);
  expect([answer.status, tried]).toEqual([status, tries]);
  expect(answer.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
});

describe("a message that is sent with an Idempotency-Key", () => {
  let session: SessionDriver;
  let token: string;
  beforeEach(async () => {
    const { workspaceId, users } = await addWorkspaceWith({ owner: "owner" });
    session = await beginSession(null, { workspaceId });
    await session.settled();
    await env.DB.prepare(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, ?2, 'P', 'acme/app', 'main', 'deployed', 1, '{}', 'm1', 0, 0)`,
    )
      .bind(session.record.projectId, workspaceId)
      .run();
    await env.DB.prepare(
      `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
       VALUES (?1, 'workspace', ?1, 'anthropic', 0, 'key', '', 'k', 0)`,
    )
      .bind(workspaceId)
      .run();
    ({ token } = await issueApiKey(env.DB, { userId: users.owner, name: "k", expiresAt: null }, Date.now()));
  });

  /** Sends it to an object whose first calls are reset after they are carried out. */
  async function send(resets: number, key: string | null = crypto.randomUUID(), form: FormData | null = null) {
    let calls = 0;
    const SESSION = {
      getByName: (id: string) => {
        const stub = env.SESSION.getByName(id);
        return {
          version: () => stub.version(),
          async send(...order: Parameters<typeof stub.send>) {
            const sent = await stub.send(...order);
            if (++calls <= resets) throw Object.assign(new Error("the object was reset"), reset);
            return sent;
          },
        };
      },
    };
    const bindings = { ...unlimitedEnv, SESSION };
    const app = new Hono<{ Bindings: Env; Variables: object }>();
    addEndpoints(app, turnRoutes);
    app.onError((_, context) => context.text("broken", 500));
    const path = `/api/projects/${session.record.projectId}/chat-sessions/${session.id}/jobs/chat`;
    const headers = { authorization: `Bearer ${token}`, ...(key === null ? {} : { "Idempotency-Key": key }) };
    const body = form ?? JSON.stringify({ content: "Build it." });
    const type = form ? {} : { "content-type": "application/json" };
    const answer = await app.request(path, { method: "POST", headers: { ...headers, ...type }, body }, bindings);
    return { answer, calls };
  }
  const said = async () => (await session.messages()).filter(({ role }) => role === "user").length;

  test("to an object that is reset is sent again, and counts once", async () => {
    const { answer, calls } = await send(1);
    expect([answer.status, calls, await said()]).toEqual([201, 2, 1]);
  });

  test("to one that is reset twice is left to its sender, who gets the first response", async () => {
    const key = crypto.randomUUID();
    const { answer, calls } = await send(2, key);
    expect([answer.status, answer.headers.get("retry-after"), calls]).toEqual([503, "1", 2]);
    const { answer: later } = await send(0, key);
    expect([later.status, await said()]).toEqual([201, 1]);
    expect(await later.json()).toMatchObject({ data: { delivery: "job" } });
  });

  test("keeps its files, whichever attempt was carried out", async () => {
    for (const resets of [1, 2]) {
      const form = new FormData();
      form.set("content", "Look.");
      form.set("attachmentCount", "1");
      form.set("attachment_0", new File(["a picture"], "a.txt", { type: "text/plain" }));
      await send(resets, crypto.randomUUID(), form);
    }
    const kept = await env.STORE.list({ prefix: `sessions/${session.id}/attachments/` });
    expect(kept.objects.length).toBe(2);
  });

  test("without the key is not sent again", async () => {
    const { answer, calls } = await send(1, null);
    expect([answer.status, calls, await said()]).toEqual([500, 1, 1]);
  });
});
