// Calls that ask for what is there already: they succeed, and the audit log does not have them.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { endpoints } from "../../../src/endpoints.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { addCronWorkspace } from "../support/cron-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let workspaceId: string;
let projectId: string;
let token: string;
beforeEach(async () => {
  const { workspaceId: id, projectIds, userId } = await addCronWorkspace();
  [workspaceId, projectId = ""] = [id, projectIds[0]];
  token = (await issueBrowserSession(env.DB, userId, Date.now())) ?? "";
});

/** Calls a route of the workspace or of its project. */
async function call(operation: string, body: object | null) {
  const endpoint = endpoints.find((one) => one.operation === operation);
  if (!endpoint) throw new Error(`There is no operation ${operation}.`);
  const headers = { cookie: `svc_session=${token}`, origin: env.PUBLIC_URL, "content-type": "application/json" };
  const request = new Request(`${env.PUBLIC_URL}/`, {
    method: endpoint.method,
    headers,
    body: body && JSON.stringify(body),
  });
  const answer = await endpoint.serve(request, unlimitedEnv, { workspaceId, projectId });
  if ("code" in answer) throw new Error(answer.message);
}

/** The operations that the log of the workspace has, the oldest first. */
async function listRecorded(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT event ->> '$.operation' AS operation FROM audit_events WHERE workspace_id = ?1 ORDER BY id",
  )
    .bind(workspaceId)
    .all<{ operation: string }>();
  return results.map(({ operation }) => operation);
}

type Made = [operation: string, body: object | null];

test.each<[string, Made[], string[]]>([
  [
    "a share link that is there",
    [
      ["createShareLink", null],
      ["createShareLink", null],
    ],
    ["createShareLink"],
  ],
  [
    "the end of a share link that is not there",
    [
      ["revokeShareLink", null],
      ["createShareLink", null],
      ["revokeShareLink", null],
      ["revokeShareLink", null],
    ],
    ["createShareLink", "revokeShareLink"],
  ],
  ["an account that is not connected", [["disconnectCodeHost", null]], []],
  [
    "an onboarding that is completed",
    [
      ["completeOnboarding", { replyStyle: "standard" }],
      ["completeOnboarding", { replyStyle: "standard" }],
      ["completeOnboarding", null],
      ["changeProfile", { replyStyle: "standard", marketingEmails: false }],
      ["changeProfile", { replyStyle: "simplified", autoCommit: true }],
    ],
    ["completeOnboarding", "changeProfile"],
  ],
  [
    "the name that a project has",
    [
      ["changeProject", {}],
      ["changeProject", { name: "project 0", targetBranch: "main" }],
      ["changeProject", { name: "New" }],
      ["changeProject", { name: "New" }],
    ],
    ["changeProject"],
  ],
])("%s", async (_, calls, recorded) => {
  for (const [operation, body] of calls) await call(operation, body);
  expect(await listRecorded()).toEqual(recorded);
});
