// HEAD: the response to GET without its body, and without the effects of GET.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { recordEvents } from "../../../src/activity/record.ts";
import { activityRoutes } from "../../../src/activity/routes.ts";
import type { Env } from "../../../src/env.ts";
import { addEndpoints, type Endpoint, publicEndpoint } from "../../../src/http/endpoint.ts";
import { download } from "../../../src/http/response.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

function head(routes: Endpoint[], path: string, headers: Record<string, string> = {}) {
  const app = new Hono<{ Bindings: Env; Variables: object }>();
  addEndpoints(app, routes);
  return app.request(path, { method: "HEAD", headers }, unlimitedEnv);
}

test("ends the source of the body, such as a stream, that nobody reads", async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const route = publicEndpoint({
    ...({ method: "GET", path: "/file", operation: "readAll", summary: "Read it.", tag: "Account" } as const),
    response: { status: 200, data: z.string(), mediaType: "text/plain" },
    handle: async () => download(source, new Headers({ "content-type": "text/plain" })),
  });
  const answer = await head([route], "/file");
  expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([200, "text/plain", null]);
  await expect.poll(() => isCancelled).toBe(true);
});

test("does not move the Seen Mark", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner" });
  const event = { id: crypto.randomUUID(), workspaceId, projectId: null, sessionId: null };
  const about = { kind: "branch_behind", doer: null, subject: null, payload: {} } as const;
  await recordEvents(env.DB, [{ ...event, ...about }]);
  const { token } = await issueApiKey(env.DB, { userId: users.owner, name: "k", expiresAt: null }, Date.now());
  const headers = { authorization: `Bearer ${token}` };
  expect((await head(activityRoutes, "/api/activity?markSeen=true", headers)).status).toBe(200);
  const marks = env.DB.prepare("SELECT * FROM seen_marks WHERE user_id = ?1").bind(users.owner);
  expect((await marks.all()).results).toEqual([]);
});
