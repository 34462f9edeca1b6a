// Reads whose object is reset meanwhile are tried once more; nothing else is.
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Env } from "../../../src/env.ts";
import { ok } from "../../../src/http/answer.ts";
import { mount, publicEndpoint } from "../../../src/http/endpoint.ts";

const reset = { retryable: true };

test.each<[string, "GET" | "POST", object[], number, number]>([
  ["a read of an object that was reset", "GET", [reset], 200, 2],
  ["a read that fails again", "GET", [reset, reset, reset], 500, 2],
  ["a read that fails for another reason", "GET", [{}], 500, 1],
  ["a read of an object that has too much to do", "GET", [{ retryable: true, overloaded: true }], 500, 1],
  ["a write", "POST", [reset], 500, 1],
])("%s", async (_, method, failures, status, tries) => {
  let tried = 0;
  const app = new Hono<{ Bindings: Env; Variables: object }>();
  const described = {
    operation: "try",
    summary: "Try.",
    tag: "Account",
    answers: { status: 200, data: z.object({}) },
  } as const;
  mount(app, [
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
});
