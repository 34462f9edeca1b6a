// Some clients write UUIDs in upper case. A path with such an id means the same resource.
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Env } from "../../../src/env.ts";
import { addEndpoints, publicEndpoint } from "../../../src/http/endpoint.ts";
import { ok } from "../../../src/http/response.ts";
import { uuid } from "../../../src/lib/wire.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

test("are read in lower case from a path and a query", async () => {
  const id = crypto.randomUUID();
  const app = new Hono<{ Bindings: Env; Variables: object }>();
  const route = publicEndpoint({
    ...({ method: "GET", path: "/jobs/{jobId}", operation: "readIds", summary: "Read it.", tag: "Account" } as const),
    query: z.strictObject({ messageId: uuid }),
    response: { status: 200, data: z.object({}) },
    handle: async ({ params, query }) => ok({ ...params, ...query }),
  });
  addEndpoints(app, [route]);
  const named = id.toUpperCase();
  const response = await app.request(`/jobs/${named}?messageId=${named}`, {}, unlimitedEnv);
  expect(await response.json()).toEqual({ data: { jobId: id, messageId: id } });
});
