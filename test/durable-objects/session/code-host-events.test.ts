// Webhooks where something is in their way: a setting that is missing, a session that cannot be reached, another change under way.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { codeHostWebhookRoutes } from "../../../src/routes/public/code-host-webhook.ts";
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

async function signatureOf(body: string): Promise<string> {
  const text = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode("tests"), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(body)));
  return `sha256=${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function deliver(settings: Partial<Env>, repository: string, branch: string, changes: Record<string, unknown>) {
  return await send(settings, "pull_request", {
    action: "closed",
    repository: { id: 1, full_name: repository },
    pull_request: {
      number: 7,
      html_url: "https://github.example/acme/app/pull/7",
      state: "open",
      updated_at: "2026-01-15T12:00:00Z",
      base: { ref: "main" },
      head: { ref: branch, sha: "a", repo: { id: 1 } },
      ...changes,
    },
  });
}

async function send(settings: Partial<Env>, event: string, payload: unknown) {
  const body = JSON.stringify(payload);
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": await signatureOf(body),
    "x-hub-signature-256": await signatureOf(body),
  };
  const request = new Request("https://switchyard.test/api/webhooks/github", { method: "POST", headers, body });
  return await codeHostWebhookRoutes[0]?.serve(request, { ...env, ...settings } as unknown as Env, {});
}

describe("a webhook", () => {
  it("is refused without a secret, with the missing setting in the error", async () => {
    const message = expect.stringContaining("CODE_HOST_WEBHOOK_SECRET");
    const refused = { code: "SERVICE_UNAVAILABLE", message };
    expect(await deliver({ CODE_HOST_WEBHOOK_SECRET: "" }, "acme/app", "svc/a", {})).toMatchObject(refused);
  });

  it("that did not arrive at its session is handled when it is redelivered", async () => {
    const { driver, repository, branch } = await proposed();
    const SESSION = {
      getByName() {
        throw new Error("out of reach");
      },
    } as unknown as Env["SESSION"];
    await expect(deliver({ SESSION }, repository, branch, { draft: true })).rejects.toThrow("out of reach");
    expect((await driver.state()).session.prState).toBeNull();
    expect(await deliver({}, repository, branch, { draft: true })).toMatchObject({ status: 204 });
    expect((await driver.state()).session.prState).toBe("draft");
  });

  it("that did not arrive at one of its sessions is handled by the others first, and by all when it is redelivered", async () => {
    const { driver, repository, branch } = await proposed();
    const { projectId } = (await driver.state()).session;
    const other = await beginSession();
    const [first, second] = [driver.id, other.id];
    await env.DB.prepare("UPDATE sessions SET project_id = ?1, branch = ?2 WHERE id = ?3")
      .bind(projectId, branch, second)
      .run();
    const reached: string[] = [];
    const reach = (out: string[]) => ({
      getByName: (name: string) => ({
        async handleEvent() {
          if (out.includes(name)) throw new Error("out of reach");
          await scheduler.wait(10);
          reached.push(name);
        },
      }),
    });
    for (const one of [first, second]) {
      const SESSION = reach([one]) as unknown as Env["SESSION"];
      await expect(deliver({ SESSION }, repository, branch, {})).rejects.toThrow("out of reach");
    }
    expect(reached.sort()).toEqual([first, second].sort());
    await deliver({ SESSION: reach([]) as unknown as Env["SESSION"] }, repository, branch, {});
    expect(reached.length).toBe(4);
  });

  it("of a check without a pull request counts only for the head commit of the branch", async () => {
    const { driver, repository, branch } = await proposed();
    const settings = { CODE_HOST_TOKEN: "a token", CODE_HOST_API_URL: "https://github.example" };
    const report = (head_sha: string) => {
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
      return send(settings, "check_run", {
        action: "completed",
        repository: { id: 1, full_name: repository },
        check_run,
      });
    };
    const host = vi.spyOn(globalThis, "fetch");
    const known = async () => (await driver.state()).session.prReport?.sha ?? null;
    for (const [sha, status, answer] of [
      ["a fork's", 404, {}],
      ["a fork's that builds on the head", 200, { ahead_by: 0, behind_by: 1 }],
      ["of before", 200, { ahead_by: 1, behind_by: 0 }],
    ] as const) {
      host.mockImplementation(async () => Response.json(answer, { status }));
      expect(await report(sha)).toMatchObject({ status: 204 });
      expect([sha, await known()]).toEqual([sha, null]);
    }
    host.mockImplementation(async () => Response.json({}, { status: 403 }));
    await expect(report("the head")).rejects.toThrow("refuses");
    host.mockImplementation(async () => Response.json({ ahead_by: 0, behind_by: 0 }));
    expect(await report("the head")).toMatchObject({ status: 204 });
    expect(await known()).toBe("the head");
  });

  it("of a merge during another change of the session ends it afterwards", async () => {
    const { driver, repository, branch } = await proposed();
    await deliver({}, repository, branch, { draft: true });
    const held = Promise.withResolvers<void>();
    const host = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      await held.promise;
      return Response.json({ number: 7, state: "open", draft: false, base: { ref: "main" } });
    });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const review = driver
      .session()
      .update({ status: "under-review" }, by, { runnable: new Set(["anthropic"] as const) });
    await vi.waitUntil(() => host.mock.calls.length > 0);
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
    await vi.waitUntil(async () => (await driver.state()).session.status === "completed", { timeout: 10_000 });
    expect((await driver.state()).session.prState).toBe("merged");
  });
});
