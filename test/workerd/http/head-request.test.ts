// HEAD: the response to GET without its body, and without the effects of GET.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { recordEvents } from "../../../src/activity/record.ts";
import { activityRoutes } from "../../../src/activity/routes.ts";
import { endpoints } from "../../../src/endpoints.ts";
import type { Env } from "../../../src/env.ts";
import { addEndpoints, type Endpoint, publicEndpoint } from "../../../src/http/endpoint.ts";
import { download } from "../../../src/http/response.ts";
import { issueApiKey } from "../../../src/key/queries/keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

function head(routes: Endpoint[], path: string, headers: Record<string, string> = {}) {
  const app = new Hono<{ Bindings: Env; Variables: object }>();
  addEndpoints(app, routes);
  return app.request(path, { method: "HEAD", headers }, unlimitedEnv);
}

test("ends the source of a body that nobody reads", async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const route = publicEndpoint({
    ...({ method: "GET", path: "/file", operation: "readAll", summary: "Read it.", tag: "Account" } as const),
    answers: { status: 200, data: z.string(), mediaType: "text/plain" },
    handle: async () => download(source, new Headers({ "content-type": "text/plain" })),
  });
  const answer = await head([route], "/file");
  expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([200, "text/plain", null]);
  await expect.poll(() => isCancelled).toBe(true);
});

test("is refused by what opens a stream or finishes a sign-in", async () => {
  const refusing = endpoints.filter(
    ({ method, operation, answers }) =>
      method === "GET" && (answers.events || answers.status === 101 || operation === "completeCodeHostConnection"),
  );
  expect(refusing).toHaveLength(8);
  for (const { path } of refusing) {
    const answer = await head(endpoints, path.replace(/\{\w+\}/g, crypto.randomUUID()));
    expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, "GET"]);
  }
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
