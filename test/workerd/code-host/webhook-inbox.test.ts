// Webhooks with an obstacle: a missing setting, a failing database, an unreachable session, another
// change in progress.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getWebhookInboxObject } from "../../../durable-objects/address.ts";
import { codeHostWebhookRoutes } from "../../../src/code-host/webhook-route.ts";
import type { Env } from "../../../src/env.ts";
import { captureLog } from "../support/captured-log.ts";
import { beginSession, by, type SessionDriver } from "../support/session-driver.ts";

afterEach(() => vi.restoreAllMocks());

async function proposed(): Promise<{ driver: SessionDriver; repository: string; branch: string }> {
  const driver = await beginSession();
  const { projectId, branch } = (await driver.state()).session;
  const repository = `acme/${projectId}`;
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws_1', 'P', ?2, 'main', 'deployed', '{}', 'm1', 0, 0)`,
  )
    .bind(projectId, repository)
    .run();
  return { driver, repository, branch: branch ?? "" };
}

async function createSignature(body: string): Promise<string> {
  const text = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode("tests"), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(body)));
  return `sha256=${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The code host's id of the repository. Each test has its own id, and so its own inbox. */
let repositoryId = 0;
beforeEach(() => {
  repositoryId += 1;
});

const inbox = () => getWebhookInboxObject(env, repositoryId);

/** Sends GitHub's event of a pull request, and waits until the inbox has handled it. */
async function deliver(repository: string, branch: string, changes: Record<string, unknown>) {
  const answer = await send("pull_request", told(repository, branch, changes));
  await workedThrough();
  return answer;
}

const told = (repository: string, branch: string, changes: Record<string, unknown>) => ({
  action: "closed",
  repository: { id: repositoryId, full_name: repository },
  pull_request: {
    number: 7,
    html_url: "https://github.example/acme/app/pull/7",
    state: "open",
    updated_at: "2026-01-15T12:00:00Z",
    base: { ref: "main" },
    head: { ref: branch, sha: "a", repo: { id: repositoryId } },
    ...changes,
  },
});

/**
 * Sends an event. The delivery's id is derived from its body, so the same event twice is a
 * redelivery.
 */
async function send(event: string, payload: unknown, settings: Partial<Env> = {}) {
  const body = JSON.stringify(payload);
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": await createSignature(body),
    "x-hub-signature-256": await createSignature(body),
  };
  const request = new Request("https://switchyard.test/api/webhooks/github", { method: "POST", headers, body });
  return await codeHostWebhookRoutes[0]?.serve(request, { ...env, ...settings } as unknown as Env, {});
}

interface Kept {
  id: string;
  attempts: number;
  due_at: number | null;
}

const kept = () =>
  runInDurableObject(inbox(), (_, { storage }) => [
    ...storage.sql.exec<Kept & Record<string, SqlStorageValue>>("SELECT id, attempts, due_at FROM deliveries"),
  ]);

/** Waits until every delivery of the inbox has been tried once. */
async function workedThrough(): Promise<void> {
  await vi.waitUntil(async () => (await kept()).every(({ attempts }) => attempts > 0), { timeout: 60_000 });
}

/** Gives the inbox other bindings. */
async function give(bindings: object): Promise<void> {
  await runInDurableObject(inbox(), (object) => {
    Object.assign(object, { env: { ...env, ...bindings } });
  });
}

/** Makes failed deliveries due again, as if their delay were over, and fires the alarm. */
async function pass(): Promise<void> {
  await runInDurableObject(inbox(), (_, { storage }) => {
    storage.sql.exec("UPDATE deliveries SET attempts = 0, due_at = 0 WHERE due_at IS NOT NULL");
  });
  await runDurableObjectAlarm(inbox());
  await workedThrough();
}

describe("a webhook", () => {
  it("is refused without a secret, with the missing setting in the error", async () => {
    const message = expect.stringContaining("CODE_HOST_WEBHOOK_SECRET");
    const refused = { code: "SERVICE_UNAVAILABLE", message };
    const settings = { CODE_HOST_WEBHOOK_SECRET: "" };
    expect(await send("pull_request", told("acme/app", "svc/a", {}), settings)).toMatchObject(refused);
  });

  it("is accepted while the database fails, and handled once when it is back, however often it arrived", async () => {
    captureLog();
    const { driver, repository, branch } = await proposed();
    const DB = {
      prepare() {
        throw new Error("the database is down");
      },
    };
    await give({ DB });
    for (const _ of [1, 2, 3])
      expect(await deliver(repository, branch, { draft: true })).toMatchObject({ status: 204 });
    expect(await kept()).toMatchObject([{ attempts: 1, due_at: expect.any(Number) }]);
    expect((await driver.state()).session.prState).toBeNull();
    await give({});
    await pass();
    expect((await driver.state()).session.prState).toBe("draft");
    expect(await kept()).toMatchObject([{ due_at: null }]);
    // Its id is known for days, and it is not handled again.
    expect(await send("pull_request", told(repository, branch, { draft: true }))).toMatchObject({ status: 204 });
    expect(await kept()).toMatchObject([{ due_at: null }]);
  });

  it("that did not reach one of its sessions is handled by the others first, and only by that one when it is repeated", async () => {
    captureLog();
    const { driver, repository, branch } = await proposed();
    const { projectId } = (await driver.state()).session;
    const other = await beginSession();
    const [first, second] = [driver.id, other.id];
    await env.DB.prepare("UPDATE sessions SET project_id = ?1, branch = ?2 WHERE id = ?3")
      .bind(projectId, branch, second)
      .run();
    const reached: string[] = [];
    const reach = (out: string[]) => ({
      SESSION: {
        getByName: (name: string) => ({
          async handleEvent() {
            if (out.includes(name)) throw new Error("out of reach");
            await scheduler.wait(10);
            reached.push(name);
          },
        }),
      },
    });
    await give(reach([first]));
    await deliver(repository, branch, {});
    expect(reached).toEqual([second]);
    await give(reach([]));
    await pass();
    expect(reached).toEqual([second, first]);
  });

  it("that waits when the object is evicted is handled by its alarm", async () => {
    captureLog();
    const { driver, repository, branch } = await proposed();
    await give({
      SESSION: {
        getByName() {
          throw new Error("out of reach");
        },
      },
    });
    await deliver(repository, branch, { draft: true });
    await evictDurableObject(inbox());
    await pass();
    expect((await driver.state()).session.prState).toBe("draft");
  });

  describe("three hundred concurrent webhooks", () => {
    const numbers = Array.from({ length: 300 }, (_, number) => number + 1);
    const sendAll = async (repository: string, branch: string) => {
      const sent = numbers.map((number) => send("pull_request", told(repository, branch, { number })));
      return new Set((await Promise.all(sent)).map((answer) => answer && "status" in answer && answer.status));
    };
    const counting = (handled: Map<number, number>) => ({
      SESSION: {
        getByName: () => ({
          async handleEvent({ number }: { number: number }) {
            handled.set(number, (handled.get(number) ?? 0) + 1);
          },
        }),
      },
    });
    const eachOnce = new Map(numbers.map((number) => [number, 1]));

    it("are each accepted and each handled once", async () => {
      const { repository, branch } = await proposed();
      const handled = new Map<number, number>();
      await give(counting(handled));
      expect(await sendAll(repository, branch)).toEqual(new Set([204]));
      await vi.waitUntil(async () => handled.size === 300, { timeout: 60_000 });
      await workedThrough();
      expect(handled).toEqual(eachOnce);
    });

    it("are accepted while the database fails, which is queried for few of them, and handled once when it is back", async () => {
      captureLog();
      const { repository, branch } = await proposed();
      let tries = 0;
      const DB = {
        prepare() {
          tries += 1;
          throw new Error("the database is down");
        },
      };
      await give({ DB });
      expect(await sendAll(repository, branch)).toEqual(new Set([204]));
      expect(tries).toBeLessThan(150);
      const handled = new Map<number, number>();
      await give(counting(handled));
      await vi.waitUntil(async () => (await kept()).every(({ due_at }) => due_at === null), { timeout: 60_000 });
      expect(handled).toEqual(eachOnce);
    });
  });

  it("of a check without a pull request counts only for the head commit of the branch", async () => {
    const { driver, repository, branch } = await proposed();
    await give({ CODE_HOST_TOKEN: "a token", CODE_HOST_API_URL: "https://github.example" });
    const report = async (head_sha: string) => {
      const at = "2026-01-15T12:00:00Z";
      const run = {
        name: "test",
        head_sha,
        started_at: at,
        completed_at: at,
        conclusion: "failure",
        pull_requests: [],
      };
      const check_run = { ...run, check_suite: { head_branch: branch } };
      const payload = { action: "completed", repository: { id: repositoryId, full_name: repository }, check_run };
      await send("check_run", payload);
      await workedThrough();
    };
    const host = vi.spyOn(globalThis, "fetch");
    const known = async () => (await driver.state()).session.prReport?.sha ?? null;
    for (const [sha, status, answer] of [
      ["a fork's", 404, {}],
      ["a fork's that builds on the head", 200, { ahead_by: 0, behind_by: 1 }],
      ["of before", 200, { ahead_by: 1, behind_by: 0 }],
    ] as const) {
      host.mockImplementation(async () => Response.json(answer, { status }));
      await report(sha);
      expect([sha, await known()]).toEqual([sha, null]);
    }
    host.mockImplementation(async () => Response.json({}, { status: 403 }));
    const said = captureLog();
    await report("the head");
    expect(said.map(({ error }) => error).join(" ")).toContain("refuses");
    host.mockImplementation(async () => Response.json({ ahead_by: 0, behind_by: 0 }));
    await pass();
    expect(await known()).toBe("the head");
  });

  it("of a merge during another change of the session ends it afterwards", async () => {
    const { driver, repository, branch } = await proposed();
    await deliver(repository, branch, { draft: true });
    const held = Promise.withResolvers<void>();
    const host = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      await held.promise;
      return Response.json({ number: 7, state: "open", draft: false, base: { ref: "main" } });
    });
    captureLog();
    const review = driver
      .session()
      .update({ status: "under-review" }, by, { runnable: new Set(["anthropic"] as const) });
    await vi.waitUntil(() => host.mock.calls.length > 0, 20_000);
    await driver.session().handleEvent({
      type: "pull-request",
      number: 7,
      url: "https://github.example/acme/app/pull/7",
      state: "merged",
      base: "main",
      sha: "a",
      changedAt: Date.parse("2026-01-15T12:00:05Z"),
    });
    expect((await driver.state()).session.status).toBe("active");
    held.resolve();
    await review;
    await vi.waitUntil(async () => (await driver.state()).session.status === "completed", { timeout: 60_000 });
    expect((await driver.state()).session.prState).toBe("merged");
  });
});
