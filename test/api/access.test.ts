// Who may call what: one table with every route, every person and every kind of caller. A
// documented route that is not in the table fails the last test.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type CallerFacts, checkCallerKind } from "../../src/access/rules/permission-table.ts";
import { withoutReferences } from "../support/api-document.ts";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient, type Person } from "../support/client.ts";
import { copyProject } from "../support/copied-project.ts";
import { cronRunCallers } from "../support/cron-run-callers.ts";
import { answerTo } from "../support/http-exchange.ts";
import { createInside } from "../support/world-inside.ts";
import { getAction } from "../unit/access/permission-routes.ts";

const world = apiWorld();
const session = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const workspace = "/api/organizations/{workspaceId}";
const cron = "/api/organizations/{workspaceId}/crons/{cronId}";
const prototypes = "/api/projects/{projectId}/prototypes";
const chat = "/api/projects/{projectId}/deploy-messages";
const deploy = "/api/projects/{projectId}/settings/agentic-deploy";
const preview = "/api/projects/{projectId}/preview";

/**
 * Whose API key is accepted: everybody's, also none; any valid one; that of a member of the
 * project's workspace; that of its owner or admins; or none, because the route is for browsers, in
 * some cases before the sign-in.
 */
type Reach = "public" | "user" | "member" | "admin" | "owner" | "browser" | "sign-in";
/**
 * Method, path, reach, the status for those who may call it, and what the request contains besides
 * its path.
 */
type Row = readonly [string, string, Reach, number, { query?: string; body?: unknown }?];

const reached: Record<Reach, readonly Person[]> = {
  public: ["owner", "admin", "member", "outsider"],
  user: ["owner", "admin", "member", "outsider"],
  member: ["owner", "admin", "member"],
  admin: ["owner", "admin"],
  owner: ["owner"],
  browser: [],
  "sign-in": [],
};

// The session of these rows never had a turn or a sandbox. The job and the slug do not exist. The
// stream is a turn of another session.
// biome-ignore format: a table is read by its columns.
const rows: readonly Row[] = [
  ["GET",    "/api/meta",                                  "public", 200],
  ["GET",    "/api/openapi.json",                          "public", 200],
  ["GET",    "/api/shared-previews/{slug}",                "public", 404],
  ["GET",    "/api/shared-previews/{slug}/artifacts/{artifactId}", "public", 404],
  ["POST",   "/api/webhooks/github",                       "public", 401, { body: {} }],
  ["GET",    "/api/models",                                "user",   200],
  ["GET",    "/api/organizations",                         "user",   200],
  ["POST",   "/api/organizations",                         "browser", 400, { body: {} }],
  ["GET",    workspace,                                    "member", 200],
  ["PATCH",  workspace,                                    "admin",  200, { body: {} }],
  ["DELETE", workspace,                                    "browser", 400, { body: { name: "Another" } }],
  ["PUT",    `${workspace}/timezone`,                      "admin",  200, { body: { timezone: "UTC" } }],
  ["GET",    `${workspace}/network`,                       "member", 200],
  ["PUT",    `${workspace}/network`,                       "owner",  400, { body: {} }],
  ["GET",    "/api/projects/{projectId}/network",          "member", 200],
  ["PUT",    "/api/projects/{projectId}/network",          "member", 400, { body: {} }],
  ["GET",    "/api/projects/{projectId}/network/secrets",  "member", 200],
  ["GET",    "/api/projects/{projectId}/triggers",         "member", 200],
  ["PUT",    "/api/projects/{projectId}/triggers",         "admin",  400, { body: {} }],
  ["GET",    "/api/projects/{projectId}/trigger-runs",     "member", 200],
  ["POST",   "/api/projects/{projectId}/triggers/{triggerId}/key", "admin", 404],
  ["GET",    "/api/projects/{projectId}/places/{placeKind}/{placeId}", "member", 404],
  ["POST",   "/api/projects/{projectId}/triggers/try",     "member", 400, { body: {} }],
  ["POST",   "/api/triggers/{triggerId}",                  "public", 401, { body: {} }],
  ["PUT",    "/api/projects/{projectId}/network/secrets/{secretName}", "admin", 400, { body: {} }],
  ["DELETE", "/api/projects/{projectId}/network/secrets/{secretName}", "admin", 404],
  ["GET",    `${workspace}/members`,                       "member", 200],
  ["PATCH",  `${workspace}/members/{userId}`,              "browser", 404, { body: { role: "admin" } }],
  ["DELETE", `${workspace}/members/{userId}`,              "browser", 404],
  ["POST",   `${workspace}/leave`,                         "browser", 400],
  ["POST",   `${workspace}/transfer-ownership`,            "browser", 404, { body: { userId: "usr_nobody" } }],
  ["GET",    `${workspace}/invitations`,                   "browser", 200],
  ["POST",   `${workspace}/invitations`,                   "browser", 400, { body: {} }],
  ["DELETE", `${workspace}/invitations/{invitationId}`,    "browser", 404],
  ["PUT",    `${workspace}/logo`,                          "browser", 400],
  ["DELETE", `${workspace}/logo`,                          "browser", 204],
  ["PUT",    "/api/user/profile-image",                    "browser", 400],
  ["GET",    "/api/user/profile",                          "user",   200],
  ["PUT",    "/api/user/profile",                          "browser", 204, { body: {} }],
  ["POST",   "/api/user/complete-onboarding",              "browser", 204, { body: {} }],
  ["GET",    "/api/user/subscriptions",                    "user",   200],
  ["GET",    "/api/user/subscriptions/usage",              "user",   400],
  ["PATCH",  "/api/user/subscriptions",                    "user",   400, { body: {} }],
  ["PUT",    "/api/user/subscriptions/{provider}",         "user",   400, { body: { apiKey: "k" } }],
  ["DELETE", "/api/user/subscriptions/{provider}",         "user",   400],
  ["DELETE", "/api/user/subscriptions/{provider}/logins/{loginId}", "user", 400],
  ["PUT",    "/api/user/subscriptions/{provider}/logins/order", "user", 400, { body: { ids: [] } }],
  ["GET",    "/api/user/skills",                           "user",   200],
  ["POST",   "/api/user/skills",                           "user",   400, { body: { files: [] } }],
  ["GET",    "/api/user/skills/{skillId}",                 "user",   404],
  ["PATCH",  "/api/user/skills/{skillId}",                 "user",   404, { body: { enabled: true } }],
  ["DELETE", "/api/user/skills/{skillId}",                 "user",   404],
  ["GET",    "/api/user/plugins",                          "user",   200],
  ["PATCH",  "/api/user/plugins/{pluginId}",               "user",   400, { body: { enabled: true } }],
  ["GET",    "/api/push/devices",                          "user",   200],
  ["GET",    "/api/user/notifications",                    "user",   200],
  ["PUT",    "/api/user/notifications",                    "user",   400, { body: {} }],
  ["POST",   "/api/push/devices",                          "user",   400, { body: {} }],
  ["DELETE", "/api/push/devices",                          "user",   400, { body: {} }],
  ["GET",    `${workspace}/skills`,                        "member", 200],
  ["POST",   `${workspace}/skills`,                        "admin",  400, { body: { files: [] } }],
  ["GET",    `${workspace}/skills/{skillId}`,              "member", 404],
  ["PATCH",  `${workspace}/skills/{skillId}`,              "admin",  404, { body: { enabled: true } }],
  ["DELETE", `${workspace}/skills/{skillId}`,              "admin",  404],
  ["POST",   "/api/user/subscriptions/login/{provider}",   "user",   400],
  ["POST",   "/api/user/subscriptions/login/{provider}/complete", "user", 400, { body: { loginToken: "t" } }],
  ["GET",    "/api/activity",                              "user",   200],
  ["GET",    "/api/events",                                "user",   200],
  ["PUT",    "/api/activity/seen",                         "user",   404, { body: { through: randomUUID() } }],
  ["GET",    `${workspace}/cron-preview`,                  "member", 200, { query: "expression=0+9+*+*+1" }],
  ["GET",    `${workspace}/crons`,                         "member", 200],
  ["POST",   `${workspace}/crons`,                         "member", 400, { body: {} }],
  ["GET",    cron,                                         "member", 404],
  ["PATCH",  cron,                                         "member", 404, { body: {} }],
  ["DELETE", cron,                                         "member", 404],
  ["POST",   `${cron}/projects/{projectId}/resume`,        "member", 404],
  ["POST",   `${cron}/run`,                                "member", 404],
  ["GET",    `${cron}/artifacts`,                          "member", 404],
  ["GET",    `${cron}/runs`,                               "member", 404],
  ["GET",    `${cron}/runs/{runId}`,                       "member", 404],
  ["POST",   `${cron}/runs/{runId}/cancel`,                "member", 404],
  ["GET",    `${cron}/runs/{runId}/diagnostics`,           "member", 404],
  ["GET",    `${cron}/runs/{runId}/messages`,              "member", 404],
  ["GET",    `${cron}/runs/{runId}/events`,                "member", 404],
  ["GET",    `${cron}/runs/{runId}/artifacts`,             "member", 404],
  ["GET",    `${cron}/runs/{runId}/artifacts/{artifactId}`, "member", 404],
  ["GET",    `${workspace}/events`,                        "member", 200],
  ["GET",    `${workspace}/usage`,                         "member", 200],
  ["GET",    `${workspace}/audit`,                         "owner",  200],
  ["GET",    `${workspace}/access-status`,                 "member", 200],
  ["GET",    `${workspace}/credentials`,                   "admin",  200],
  ["PUT",    `${workspace}/credentials/{provider}`,        "admin",  400, { body: { apiKey: "k" } }],
  ["DELETE", `${workspace}/credentials/{provider}`,        "admin",  400],
  ["POST",   `${workspace}/credentials/login/{provider}`,  "admin",  400],
  ["POST",   `${workspace}/credentials/login/{provider}/complete`, "admin", 400, { body: { loginToken: "t" } }],
  ["POST",   "/api/invitations/{token}/accept",            "browser", 404],
  ["GET",    "/api/organizations/{workspaceId}/relay-keys", "admin", 200],
  ["POST",   "/api/organizations/{workspaceId}/relay-keys", "admin", 201, { body: { name: "Access" } }],
  ["DELETE", "/api/organizations/{workspaceId}/relay-keys/{relayKeyId}", "admin", 404],
  ["GET",    `${workspace}/webhooks`,                      "admin",  200],
  ["POST",   `${workspace}/webhooks`,                      "admin",  400, { body: {} }],
  ["GET",    `${workspace}/webhooks/{webhookId}`,          "admin",  404],
  ["PATCH",  `${workspace}/webhooks/{webhookId}`,          "admin",  404, { body: { enabled: true } }],
  ["DELETE", `${workspace}/webhooks/{webhookId}`,          "admin",  404],
  ["POST",   `${workspace}/webhooks/{webhookId}/rotate-secret`, "admin", 404, { body: {} }],
  ["POST",   `${workspace}/webhooks/{webhookId}/test`,     "admin",  404],
  ["POST",   `${workspace}/webhooks/{webhookId}/recover`,  "admin",  400, { body: {} }],
  ["GET",    `${workspace}/webhooks/{webhookId}/deliveries`, "admin", 404],
  ["GET",    `${workspace}/webhooks/{webhookId}/deliveries/{deliveryId}`, "admin", 404],
  ["POST",   `${workspace}/webhooks/{webhookId}/deliveries/{deliveryId}/resend`, "admin", 404],
  ["GET",    "/api/organizations/{workspaceId}/sandbox-limit", "member", 200],
  ["POST",   "/api/organizations/{workspaceId}/stop-sandboxes", "member", 200, { body: { sessionIds: [] } }],
  ["GET",    "/api/user/api-keys",                         "browser", 200],
  ["POST",   "/api/user/api-keys",                         "browser", 201, { body: { name: "Access" } }],
  ["GET",    "/api/user/connected-agents",                 "browser", 200],
  ["DELETE", "/api/user/connected-agents/{agentId}",       "browser", 404],
  ["POST",   "/api/auth/device",                           "public", 200, { body: { client: "sy", name: "Access" } }],
  ["POST",   "/api/auth/device/complete",                  "public", 400, { body: { loginToken: "t" } }],
  ["GET",    "/api/user/api-keys/current",                 "user",   200],
  ["DELETE", "/api/user/api-keys/current",                 "user",   204],
  ["DELETE", "/api/user/api-keys/{keyId}",                 "browser", 404],
  ["POST",   "/api/auth/sign-out",                         "browser", 204],
  ["GET",    "/api/auth/github/connect",                   "sign-in", 302],
  ["GET",    "/api/auth/github/callback",                  "sign-in", 400],
  ["POST",   "/api/auth/github/disconnect",                "browser", 204],
  ["GET",    "/api/user/code-host",                        "browser", 200],
  ["GET",    "/api/user/code-host/repositories",           "browser", 404, { query: "workspace=ws_nobody" }],
  ["GET",    "/api/projects",                              "user",   200],
  ["POST",   "/api/projects",                              "user",   404, { body: { orgId: "ws_nobody", name: "Access", repository: "acme/access" } }],
  ["GET",    `${workspace}/projects`,                      "member", 200],
  ["GET",    "/api/projects/{projectId}",                  "member", 200],
  ["PATCH",  "/api/projects/{projectId}",                  "member", 200, { body: {} }],
  ["DELETE", "/api/projects/{projectId}",                  "member", 204],
  ["GET",    "/api/projects/{projectId}/reviewers",        "member", 200],
  ["GET",    "/api/projects/{projectId}/branches",         "member", 200],
  ["GET",    "/api/projects/{projectId}/settings",         "member", 200],
  ["PUT",    "/api/projects/{projectId}/settings",         "member", 400, { body: {} }],
  ["POST",   "/api/projects/{projectId}/chat-sessions",    "member", 201, { body: { title: "Access", status: "backlog" } }],
  ["GET",    "/api/projects/{projectId}/chat-sessions",    "member", 200],
  ["GET",    "/api/chat-sessions",                         "user",   200],
  ["GET",    "/api/message-search",                        "user",   200, { query: "q=word" }],
  ["GET",    "/api/chat-sessions/{sessionId}",             "member", 200],
  ["GET",    session,                                      "member", 200],
  ["PUT",    `${session}/seen`,                            "member", 204, { body: { since: new Date().toISOString() } }],
  ["GET",    `${session}/messages`,                        "member", 200],
  ["POST",   `${session}/jobs/chat`,                       "member", 400, { body: { content: "" } }],
  ["GET",    `${session}/jobs/chat`,                       "member", 200],
  ["GET",    `${session}/jobs/chat/{jobId}`,               "member", 404],
  ["POST",   `${session}/jobs/chat/{jobId}/cancel`,        "member", 404],
  ["GET",    `${session}/jobs/chat/{jobId}/outputs/{place}`, "member", 404],
  ["GET",    `${session}/attachments/{attachmentId}`,      "member", 404],
  ["GET",    `${session}/artifacts`,                       "member", 200],
  ["POST",   `${session}/artifacts`,                       "member", 400, { body: { prototypeId: randomUUID() } }],
  ["GET",    `${session}/artifacts/{artifactId}`,          "member", 404],
  ["GET",    `${session}/queue`,                           "member", 200],
  ["POST",   `${session}/queue/resume`,                    "member", 204],
  ["GET",    `${session}/events`,                          "member", 200],
  ["GET",    "/api/streams/{streamId}",                    "member", 200],
  ["GET",    `${session}/review-comments`,                 "member", 200],
  ["POST",   `${session}/review-comments`,                 "member", 400, { body: {} }],
  ["PATCH",  `${session}/review-comments/{commentId}`,     "member", 404, { body: {} }],
  ["DELETE", `${session}/review-comments/{commentId}`,     "member", 404],
  ["PATCH",  `${session}/queue/{queuedMessageId}`,         "member", 404, { body: { content: "x" } }],
  ["DELETE", `${session}/queue/{queuedMessageId}`,         "member", 404],
  ["POST",   `${session}/queue/{queuedMessageId}/move`,    "member", 404, { body: { toIndex: 0 } }],
  ["POST",   `${session}/queue/{queuedMessageId}/send`,    "member", 404],
  ["POST",   `${session}/queue/{queuedMessageId}/steer`,   "member", 404],
  ["POST",   `${session}/activate`,                        "member", 400],
  ["POST",   `${session}/runtime-commands`,                "member", 202, { body: { command: "/clear" } }],
  ["PUT",    session,                                      "member", 200, { body: { priority: "high" } }],
  ["DELETE", session,                                      "member", 204],
  ["GET",    `${session}/preview/files/content`,           "member", 400, { query: "path=README.md" }],
  ["PUT",    `${session}/preview/files/content`,           "member", 400, { body: { path: "a", content: "", clientId: randomUUID() } }],
  ["GET",    `${session}/preview/work`,                    "member", 400],
  ["PUT",    `${session}/preview/work`,                    "member", 400, { query: `expected=${"0".repeat(40)}`, body: {} }],
  ["GET",    `${session}/preview/files`,                   "member", 200],
  ["GET",    `${session}/preview/changed-files`,           "member", 200],
  ["GET",    `${session}/preview/commits`,                 "member", 200],
  ["GET",    `${session}/preview/diff`,                    "member", 503, { query: "path=README.md" }],
  ["GET",    `${session}/pull-request`,                    "member", 404],
  ["GET",    `${session}/preview/terminal`,                "browser", 400],
  ["GET",    `${session}/preview/git-state`,               "member", 200],
  ["POST",   `${session}/preview/git/commit`,              "member", 400, { body: { message: "m" } }],
  ["POST",   `${session}/preview/git/commit-message`,      "member", 400],
  ["POST",   `${session}/preview/git/push`,                "member", 400],
  ["GET",    "/api/projects/{projectId}/deploys",          "member", 200],
  ["GET",    chat,                                         "member", 200],
  ["GET",    `${chat}/events`,                             "member", 200],
  ["GET",    `${chat}/attachments/{attachmentId}`,         "member", 404],
  ["GET",    `${chat}/streams/{streamId}/outputs/{place}`, "member", 404],
  ["POST",   deploy,                                       "member", 400, { body: { userResponse: " " } }],
  ["POST",   `${deploy}/cancel`,                           "member", 200],
  ["PUT",    `${deploy}/model`,                            "member", 400, { body: { model: "none" } }],
  ["GET",    `${deploy}/queue`,                            "member", 200],
  ["PATCH",  `${deploy}/queue/{queuedMessageId}`,          "member", 404, { body: { content: "x" } }],
  ["DELETE", `${deploy}/queue/{queuedMessageId}`,          "member", 404],
  ["POST",   `${deploy}/queue/{queuedMessageId}/move`,     "member", 404, { body: { toIndex: 0 } }],
  ["POST",   `${deploy}/queue/{queuedMessageId}/send`,     "member", 404],
  ["POST",   `${deploy}/queue/{queuedMessageId}/steer`,    "member", 404],
  ["POST",   `${deploy}/queue/resume`,                     "member", 204],
  ["GET",    prototypes,                                   "member", 200],
  ["POST",   prototypes,                                   "member", 400, { body: {} }],
  ["GET",    `${prototypes}/{prototypeId}`,                "member", 404],
  ["DELETE", `${prototypes}/{prototypeId}`,                "member", 404],
  ["GET",    "/api/projects/{projectId}/skills",           "member", 200, { query: "provider=anthropic&sessionId={sessionId}" }],
  // For a session: a read of the main preview may start a Deploy.
  ["GET",    preview,                                      "member", 404, { query: `sessionId=${randomUUID()}` }],
  ["GET",    `${preview}/health`,                          "member", 200, { query: "sessionId={sessionId}" }],
  ["GET",    `${preview}/services`,                        "member", 200, { query: "sessionId={sessionId}" }],
  ["GET",    `${preview}/services/{serviceName}/log`,      "member", 400, { query: "sessionId={sessionId}" }],
  ["POST",   `${preview}/reset`,                           "member", 404, { body: { sessionId: randomUUID() } }],
  ["GET",    `${preview}/share`,                           "member", 200],
  ["POST",   `${preview}/share`,                           "member", 404, { body: { sessionId: randomUUID() } }],
  ["DELETE", `${preview}/share`,                           "member", 200],
];

let sessionId: string;
let streamId: string;
let relayKey: string;
beforeAll(async () => {
  sessionId = (await createClient(world).createSession({ title: "Access" })).id;
  streamId = (await createClient(world).createSession({ title: "Access", content: "Hello." })).jobId ?? "";
  const made = await createClient(world).post(`/api/organizations/${world.workspaceId}/relay-keys`, { name: "Access" });
  relayKey = made.body.data.key;
});

// What a row may delete.
const spareSession = async () => (await createClient(world).createSession({ title: "Access" })).id;

const spareProject = () =>
  copyProject(createInside(world).sql, { projectId: world.projectId, userId: world.users.owner.id });

async function statusFor(headers: Record<string, string>, [method, path, , , { query, body } = {}]: Row) {
  const filled = (query === undefined ? path : `${path}?${query}`)
    .replaceAll(
      "{projectId}",
      method === "DELETE" && path === "/api/projects/{projectId}" ? await spareProject() : world.projectId,
    )
    .replaceAll("{sessionId}", method === "DELETE" && path === session ? await spareSession() : sessionId)
    .replaceAll("{workspaceId}", world.workspaceId)
    .replace("{streamId}", streamId)
    .replace("{slug}", "nobody-made-this-slug")
    .replace(/\{\w+\}/g, randomUUID());
  const sent = { method, path: filled, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await answerTo(world.baseUrl, sent);
  // A stream of events does not end by itself.
  answer.destroy();
  return answer.statusCode;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Keys and browser sessions are new for every row, because a row may end them. */
const newKey = async (person: Person) => bearer((await (await signIn(world, person)).makeKey()).key);

/** The callers that are not a person with a key. */
const otherCallers: [caller: string, facts: CallerFacts, headers: () => Promise<Record<string, string>>][] = [
  ["a browser session", { kind: "browser" }, async () => (await signIn(world, "owner")).headers],
  ["a relay", { kind: "relay", sameWorkspace: true }, async () => bearer(relayKey)],
  [
    "an agent of the Assignee's turn",
    { kind: "agent", sameWorkspace: true, assigneeSentTurn: true },
    async () => bearer(world.agentTokens.ofOwner),
  ],
  [
    "an agent of another's turn",
    { kind: "agent", sameWorkspace: true, assigneeSentTurn: false },
    async () => bearer(world.agentTokens.ofNobody),
  ],
  ...cronRunCallers(world),
];

/** The result for a caller by the route's row in the permission table. */
function letsThrough([method, path, reach]: Row, facts: CallerFacts): boolean {
  return reach === "public" || checkCallerKind(getAction(method, path), facts) === null;
}

describe.for(rows)("%s %s is for %s", (row) => {
  const [, , reach, status] = row;
  test.for(["owner", "admin", "member", "outsider"] as const)("the key of the %s", async (person) => {
    expect(await statusFor(await newKey(person), row)).toBe(reached[reach].includes(person) ? status : 403);
  });

  test.for(otherCallers)("%s", async ([, facts, headers]) => {
    expect(await statusFor(await headers(), row)).toBe(letsThrough(row, facts) ? status : 403);
  });

  const isOpen = reach === "public" || reach === "sign-in";
  test(`nobody without a key ${isOpen ? "is accepted" : "is refused"}`, async () => {
    expect(await statusFor({}, row)).toBe(isOpen ? status : 401);
  });
});

test("the table contains every documented route", async () => {
  const { paths } = withoutReferences((await createClient(world).get("/api/openapi.json")).body);
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(rows.map(([method, path]) => `${method} ${path}`).sort());
});
