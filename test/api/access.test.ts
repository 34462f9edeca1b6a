// Who may call what: every route against every person, as one table. A route that is documented and not in the table fails the last test.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { clientOf, type Person } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = inject("world");
const session = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const preview = "/api/projects/{projectId}/preview";

/** Who gets through: anybody, whoever has a key, or the members of the project's workspace. */
type Reach = "public" | "user" | "member";
/** Method, path, reach, the status for those who get through, and what the request holds besides its path. */
type Row = readonly [string, string, Reach, number, { query?: string; body?: unknown }?];

// The session of these rows never had a turn nor a sandbox, and the job and the slug name nothing.
// biome-ignore format: a table is read by its columns.
const rows: readonly Row[] = [
  ["GET",    "/api/meta",                                  "public", 200],
  ["GET",    "/api/openapi.json",                          "public", 200],
  ["GET",    "/api/shared-previews/{slug}",                "public", 404],
  ["GET",    "/api/models",                                "user",   200],
  ["GET",    "/api/organizations",                         "user",   200],
  ["GET",    "/api/projects/{projectId}",                  "member", 200],
  ["POST",   "/api/projects/{projectId}/chat-sessions",    "member", 201, { body: { title: "Access" } }],
  ["GET",    session,                                      "member", 200],
  ["GET",    `${session}/messages`,                        "member", 200],
  ["POST",   `${session}/jobs/chat`,                       "member", 400, { body: { content: "" } }],
  ["GET",    `${session}/jobs/chat`,                       "member", 200],
  ["GET",    `${session}/jobs/chat/{jobId}`,               "member", 404],
  ["POST",   `${session}/jobs/chat/{jobId}/cancel`,        "member", 404],
  ["GET",    `${session}/queue`,                           "member", 200],
  ["POST",   `${session}/queue/resume`,                    "member", 204],
  ["GET",    `${session}/preview/files/content`,           "member", 400, { query: "path=README.md" }],
  ["PUT",    `${session}/preview/files/content`,           "member", 400, { body: { path: "a", content: "", clientId: randomUUID() } }],
  ["GET",    `${session}/preview/git-state`,               "member", 200],
  ["POST",   `${session}/preview/git/commit`,              "member", 400, { body: { message: "m" } }],
  ["POST",   `${session}/preview/git/push`,                "member", 400],
  ["GET",    preview,                                      "member", 200],
  ["GET",    `${preview}/health`,                          "member", 200, { query: "sessionId={sessionId}" }],
  ["GET",    `${preview}/share`,                           "member", 200],
  ["POST",   `${preview}/share`,                           "member", 404, { body: { sessionId: randomUUID() } }],
  ["DELETE", `${preview}/share`,                           "member", 200],
];

let sessionId: string;
beforeAll(async () => {
  sessionId = (await clientOf(world).createSession({ title: "Access" })).id;
});

async function statusFor(person: Person | null, [method, path, , , { query, body } = {}]: Row): Promise<number> {
  const filled = (query === undefined ? path : `${path}?${query}`)
    .replaceAll("{projectId}", world.projectId)
    .replaceAll("{sessionId}", sessionId)
    .replace("{jobId}", randomUUID())
    .replace("{slug}", "nobody-made-this-slug");
  const headers = person === null ? {} : { authorization: `Bearer ${world.users[person].apiKey}` };
  const sent = { method, path: filled, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return (await exchange(world.baseUrl, sent)).status;
}

describe.for(rows)("%s %s is for %s", (row) => {
  const [, , reach, status] = row;
  test.each(["owner", "admin", "member"] as const)("%s gets through", async (person) => {
    expect(await statusFor(person, row)).toBe(status);
  });

  test(`the outsider ${reach === "member" ? "is refused" : "gets through"}`, async () => {
    expect(await statusFor("outsider", row)).toBe(reach === "member" ? 403 : status);
  });

  test(`nobody without a key ${reach === "public" ? "is turned away" : "gets through"}`, async () => {
    expect(await statusFor(null, row)).toBe(reach === "public" ? status : 401);
  });
});

test("the table holds every documented route", async () => {
  const { paths } = (await clientOf(world).get("/api/openapi.json")).body;
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(rows.map(([method, path]) => `${method} ${path}`).sort());
});
