// The service responds as its OpenAPI document says, in status and body, on routes that return
// something.
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { withoutReferences } from "../support/api-document.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Reply, script } from "../support/client.ts";
import { openStream, type Stream } from "../support/event-stream.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const session = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const preview = "/api/projects/{projectId}/preview";

interface Operation {
  parameters: { name: string; in: string }[];
  responses: Record<
    string,
    {
      content?: Record<string, { schema: object; "x-events"?: { $ref: string } }>;
      "x-error-codes"?: string[];
    }
  >;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, object> }> };
}

let document: Document;
let values: Record<string, string>;

beforeAll(async () => {
  document = withoutReferences((await owner.get("/api/openapi.json")).body);
  const ask = {
    questions: [
      {
        topic: "Colour",
        question: "Which?",
        options: ["red", "blue"].map((title) => ({ title, description: title, isRecommended: title === "red" })),
      },
    ],
  };
  const gate = await closedGate();
  const steps = [{ plan: ["one"] }, { bash: `${gate.command}; false` }, { say: "A question." }, { ask }];
  const created = await owner.createSession({ title: "Conformance", content: script(...steps) });
  await owner.send(created.path, "Waits.");
  gate.open();
  await owner.jobUntil(created.path, created.jobId);
  const ofSession = `sessionId=${created.id}`;
  await until("the preview", async () => {
    const health = await owner.get(`/api/projects/${world.projectId}/preview/health?${ofSession}`);
    return health.body.data.state === "healthy";
  });
  const shared = await owner.post(`/api/projects/${world.projectId}/preview/share?${ofSession}`);
  values = {
    triggerId: "019a1c60-5b7c-7d8e-9f0a-1b2c3d4e5f6a",
    workspaceId: world.workspaceId,
    projectId: world.projectId,
    sessionId: created.id,
    jobId: created.jobId ?? "",
    slug: shared.body.data.share.slug,
    ofSession,
  };
});

const fill = (path: string) => path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

/** Clients accept unknown fields, but the service has to document every field that it returns. */
function closed(_: string, value: unknown): unknown {
  const isOpen = Object(value).type === "object" && Object.hasOwn(Object(value), "properties");
  return isOpen ? { additionalProperties: false, ...Object(value) } : value;
}

function expectAsDocumented(method: string, path: string, answer: Reply) {
  const operation = document.paths[path]?.[method.toLowerCase()];
  const isFailure = answer.status >= 400;
  const documented = operation?.responses[answer.status] ?? (isFailure ? operation?.responses.default : undefined);
  const told = { method, path, status: answer.status };
  expect({ ...told, isDocumented: documented !== undefined }).toEqual({ ...told, isDocumented: true });
  if (isFailure)
    expect({ ...told, codes: documented?.["x-error-codes"] }).toEqual({
      ...told,
      codes: expect.arrayContaining([answer.body.code]),
    });
  const schema = documented?.content?.["application/json"]?.schema;
  if (!schema) return expect(answer.body).toBeNull();
  expect(z.safeParse(createParser(schema), answer.body).error).toBeUndefined();
}

function createParser(schema: object): z.ZodType {
  // zod resolves only references within a schema's own definitions.
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return z.fromJSONSchema(JSON.parse(whole.replaceAll("#/components/schemas/", "#/$defs/"), closed));
}

test.each([
  ["/api/meta"],
  ["/api/models"],
  ["/api/organizations"],
  ["/api/activity"],
  ["/api/activity", "unseen=true&limit=1"],
  ["/api/projects/{projectId}"],
  ["/api/projects/{projectId}/reviewers", "search=grace"],
  ["/api/projects/{projectId}/branches"],
  [session],
  [`${session}/messages`],
  [`${session}/jobs/chat`],
  [`${session}/jobs/chat/{jobId}`],
  [`${session}/queue`],
  [`${session}/preview/git-state`],
  [`${session}/preview/files`],
  [`${session}/preview/changed-files`],
  [`${session}/preview/commits`],
  [`${session}/preview/diff`],
  [`${session}/preview/files/content`, "path=README.md"],
  [preview, "{ofSession}"],
  [`${preview}/health`, "{ofSession}"],
  [`${preview}/share`, "{ofSession}"],
  ["/api/shared-previews/{slug}"],
])("GET %s responds as documented", async (path, query = "") => {
  const answer = await owner.get(fill(`${path}?${query}`));
  expect(answer.status).toBe(200);
  expectAsDocumented("GET", path, answer);
});

test.each([
  ["POST", `${session}/jobs/chat`, { content: "" }, 400],
  ["POST", `${session}/jobs/chat`, { content: "Answer." }, 201],
  ["POST", "/api/projects/{projectId}/chat-sessions", { title: "Another" }, 201],
  ["POST", `${session}/jobs/chat/{jobId}/cancel`, undefined, 400],
  ["POST", `${session}/queue/resume`, undefined, 204],
  ["POST", `${session}/preview/git/commit`, { message: "" }, 400],
  ["POST", `${session}/preview/git/commit-message`, undefined, 400],
  ["DELETE", `${preview}/share?{ofSession}`, undefined, 200],
])("%s %s responds as documented", async (method, path, body, status) => {
  const answer = await owner.call(method, fill(path), body);
  expect(answer.status).toBe(status);
  expectAsDocumented(method, path.split("?")[0] ?? "", answer);
});

test("existing resources are returned as documented", async () => {
  const path = `${preview}/share`;
  const answers = [await owner.post(fill(`${path}?{ofSession}`)), await owner.post(fill(`${path}?{ofSession}`))];
  for (const answer of answers) expectAsDocumented("POST", path, answer);
  expect(answers[1]?.status).toBe(200);
});

describe("the events of a stream are documented by their names", () => {
  async function expectEvents(path: string, names: string[], stream: Stream) {
    const content = document.paths[path]?.get?.responses[200]?.content?.["text/event-stream"];
    const byName = document.components.schemas[content?.["x-events"]?.$ref.split("/").at(-1) ?? ""]?.properties ?? {};
    await Promise.all(names.map((name) => stream.received(name)));
    stream.leave();
    for (const { event, data } of stream.events) {
      const parsed = z.safeParse(createParser(byName[event] ?? { not: {} }), JSON.parse(data));
      expect({ event, error: parsed.error }).toEqual({ event, error: undefined });
    }
  }
  const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const open = (path: string, last?: string) => openStream(world.baseUrl, fill(path), headers, last);

  test("of a session", async () => {
    const path = `${session}/events`;
    await expectEvents(path, ["job", "queue", "block", "session", "end"], await open(path));
  });

  test("of a turn", async () => {
    await expectEvents("/api/streams/{streamId}", ["job", "block", "end"], await open("/api/streams/{jobId}"));
  });

  test("of a workspace", async () => {
    const path = "/api/organizations/{workspaceId}/events";
    const stream = await open(path);
    const created = await owner.createSession({ title: "Seen in the stream" });
    await stream.received("reset");
    await owner.patch(created.path, { title: "Seen again" });
    await owner.delete(created.path);
    await expectEvents(path, ["session", "activity", "deleted"], stream);
  });
});

describe("the response to any request is documented", () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { parameters }]) => ({ method: method.toUpperCase(), path, parameters })),
    );
  // Pages for browsers, bytes, and a stream that does not end.
  const isAsked = (path: string) => !/^\/api\/(auth|streams|webhooks)\/|\/events$|\/preview\/work$/.test(path);

  test("with each query parameter twice, and with none", async () => {
    const asked = [];
    for (const { method, path, parameters } of operations()) {
      const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      if (names.length === 0 || !isAsked(path)) continue;
      for (const query of ["", ...names.map((name) => `?${name}=a&${name}=b`)]) {
        expectAsDocumented(method, path, await owner.call(method, fill(path) + query));
        asked.push(path);
      }
    }
    expect(asked.length).toBeGreaterThan(15);
  });

  test.each(["00000000-0000-4000-8000-000000000000", "none", "%20", "9".repeat(600)])(
    "with %s as the last id of the path",
    async (id) => {
      let count = 0;
      for (const { method, path } of operations()) {
        if (!path.includes("{") || !isAsked(path)) continue;
        const place = path.lastIndexOf("{");
        const asked = fill(path.slice(0, place)) + path.slice(place).replace(/\{\w+\}/, id);
        const answer = await owner.call(method, asked, method === "GET" ? undefined : {});
        expectAsDocumented(method, path, answer);
        count += 1;
      }
      expect(count).toBeGreaterThan(40);
    },
  );

  test.each(["", "{", "[]", '"text"', "null", '{"sessionId":1}'])("with the body %s", async (body) => {
    for (const { method, path } of operations()) {
      if (!["POST", "PUT", "PATCH"].includes(method) || !isAsked(path)) continue;
      expectAsDocumented(method, path, await owner.call(method, fill(path), body));
    }
  });
});

test("the check detects a response that is not as documented", async () => {
  const answer = await owner.get(fill(session));
  for (const mistake of [{ status: "asleep" }, { colour: "green" }]) {
    const wrong = { ...answer, body: { data: { session: { ...answer.body.data.session, ...mistake } } } };
    expect(() => expectAsDocumented("GET", session, wrong)).toThrow();
  }
});
