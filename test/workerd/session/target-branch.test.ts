// The check of a Target Branch, with and without a response of the code host.
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { checkTargetBranch } from "../../../src/session/check-changes.ts";
import { sessionWithPullRequest } from "../support/session-driver.ts";

afterEach(() => vi.restoreAllMocks());

const notFound = async () => Response.json({ message: "Not Found" }, { status: 404 });
const there = async () => Response.json({ ahead_by: 0, behind_by: 0 });
const broken = async () => new Response("broken", { status: 500 });
const unreachable = async () => Promise.reject(new TypeError("unreachable"));
const silent = () => new Promise<Response>(() => {});

/** The service with a token of its own, independent of other files of the process. */
const { CODE_HOST_APP_ID: _, ...withoutApp } = env as unknown as Env;
const service: Env = { ...withoutApp, CODE_HOST_TOKEN: "a token" };

/** Checks a branch of a project while the code host responds like this. */
async function check(answer: () => Promise<Response>) {
  const { projectId } = (await (await sessionWithPullRequest("active", "draft")).state()).session;
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(answer);
  const refusal = await checkTargetBranch(service, projectId, "release/1");
  // Other objects of the process fetch, too.
  const compared = asked.mock.calls.filter(([url]) => /\/compare\/release%2F1\.\.\.release%2F1\b/.test(String(url)));
  expect(compared).not.toEqual([]);
  return refusal;
}

test("an unknown branch is refused, an existing one is not", async () => {
  expect(await check(notFound)).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("release/1") });
  vi.restoreAllMocks();
  expect(await check(there)).toBe(null);
});

test.each([
  ["breaks", broken],
  ["cannot be reached", unreachable],
  ["does not answer", silent],
])("nothing is refused while the code host %s", async (_, answer) => {
  expect(await check(answer)).toBe(null);
});
