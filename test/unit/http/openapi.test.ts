// The OpenAPI document as clients need it: names, descriptions and examples, all from the
// declarations of the endpoints.
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createExample, noExample } from "../../../src/http/openapi/examples.ts";
import type { JsonSchema, NamedSchemas } from "../../../src/http/openapi/schemas.ts";
import { tags } from "../../../src/http/tags.ts";
import { indexedMessagesPerTurn, listedMax, usageGroupsMax } from "../../../src/rules/limits.ts";
import { refusals } from "../../../src/rules/refusal.ts";
import { webhookEventTypes } from "../../../src/webhook/rules/event-types.ts";
import { withoutReferences } from "../../support/api-document.ts";

vi.mock("cloudflare:workers", () => ({ waitUntil: () => {} }));
const { endpoints } = await import("../../../src/endpoints.ts");
const { createOpenApiDocument } = await import("../../../src/http/openapi/document.ts");

interface Content {
  schema: JsonSchema;
  "x-events"?: JsonSchema;
  example?: unknown;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: { name: string; in: string; description: string; schema: JsonSchema }[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, Content> }>;
}

const document = createOpenApiDocument(endpoints, "https://switchyard.example.com");
const paths = withoutReferences(document).paths as Record<string, Record<string, Operation>>;
const operations = Object.values(paths).flatMap((item) => Object.values(item));
const named: NamedSchemas = document.components.schemas;

// The document omits an example that is composed of the examples of named schemas.
const getExample = ({ schema, example }: Content) => example ?? createExample(schema, named);

const requests = operations.flatMap(({ operationId, requestBody }) =>
  Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({ at: `${operationId} ${type}`, ...content })),
);
const answers = operations.flatMap(({ operationId, responses }) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).map((one) => ({ at: `${operationId} ${status}`, ...one, example: getExample(one) })),
  ),
);

/** Every schema within a schema, with its path; a named schema is visited under its name. */
function* within(schema: JsonSchema, at: string): Generator<{ at: string; schema: JsonSchema }> {
  yield { at, schema };
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* within(property, `${at}.${name}`);
  if (schema.items) yield* within(schema.items, `${at}[]`);
  if (typeof schema.additionalProperties === "object") yield* within(schema.additionalProperties, `${at}.*`);
  for (const one of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) yield* within(one, at);
}
const inNames = Object.entries(named).flatMap(([name, schema]) => [...within(schema, name)]);
const inRequests = requests.flatMap(({ at, schema }) => [...within(schema, at)]);
const inAnswers = answers.flatMap(({ at, schema }) => [...within(schema, at)]);

/** The names that schemas lead to, at any depth. */
function namesFrom(schemas: JsonSchema[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...schemas];
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    for (const { schema: part } of within(schema, "")) {
      const name = part.$ref?.split("/").at(-1);
      if (name === undefined || found.has(name)) continue;
      found.add(name);
      waiting.push(named[name] ?? {});
    }
  }
  return found;
}

const parsers = new Map<string, z.ZodType>();

/** What is wrong with a value; null if it is valid. */
function findMistake(schema: JsonSchema, value: unknown): string | null {
  // zod resolves only references within a schema's own definitions.
  const $defs = Object.fromEntries([...namesFrom([schema])].map((name) => [name, named[name]]));
  const text = JSON.stringify({ ...schema, $defs }).replaceAll("#/components/schemas/", "#/$defs/");
  const parser = parsers.get(text) ?? z.fromJSONSchema(JSON.parse(text));
  parsers.set(text, parser);
  const { error } = z.safeParse(parser, value);
  return error ? z.prettifyError(error) : null;
}

describe("operations", () => {
  it("have unique ids of at most four words", () => {
    const ids = operations.map(({ operationId }) => operationId);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+){0,3}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("start with a sentence that says what they do", () => {
    for (const { summary, description } of operations) {
      expect(summary).toMatch(/^[A-Z][^\n]*\.$/);
      // What follows the summary is not empty, and does not repeat it.
      if (description !== undefined) expect(description).toMatch(/^[A-Z`][^\n]*\.$/);
      expect(description?.startsWith(summary) ?? false).toBe(false);
    }
  });

  it("need no body for a POST whose fields are all optional", () => {
    const posts = endpoints.flatMap(({ method, operation, body }) =>
      method === "POST" && body?.schema.safeParse({}).success ? [{ operation, body }] : [],
    );
    // GitHub sends it, and always with a body.
    const ours = posts.filter(({ operation }) => operation !== "receiveCodeHostWebhook");
    expect(ours.map(({ operation }) => operation)).toContain("rotateWebhookSecret");
    for (const { operation, body } of ours)
      expect([operation, body.schema.safeParse(undefined).success]).toEqual([operation, true]);
    const rotation = operations.find(({ operationId }) => operationId === "rotateWebhookSecret");
    expect(rotation?.requestBody?.required ?? false).toBe(false);
  });

  it("have documented tags", () => {
    for (const operation of operations) expect(Object.keys(tags)).toEqual(expect.arrayContaining(operation.tags));
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(tags));
    for (const { description } of document.tags) expect(description).toMatch(/\.$/);
  });

  it("declare the headers of their responses, but for the one that each has", () => {
    expect(document.info.description).toContain("The header `X-Request-Id`");
    for (const { responses } of operations)
      for (const [status, { headers }] of Object.entries(responses)) {
        // The headers of a WebSocket upgrade cannot be changed.
        if (status === "101") continue;
        const names = Object.keys(headers ?? {});
        // A failure without a status of its own is one that every operation has, such as 405, 429
        // or 503.
        expect(names.includes("Retry-After")).toBe(status === "429" || status === "503" || status === "default");
        expect(names.includes("Allow")).toBe(status === "405" || status === "default");
      }
    const tagged = operations.filter(({ responses }) => "ETag" in (responses["200"]?.headers ?? {}));
    expect(tagged.map(({ operationId }) => operationId)).toEqual(["readWork", "listModels", "readOpenApi"]);
  });
});

it("each event of webhooks has a sentence that says what happened", () => {
  expect(Object.keys(document.webhooks)).toEqual(webhookEventTypes);
  expect(Object.values(document.webhooks).filter(({ summary }) => !/^[A-Z].*\.$/.test(summary))).toEqual([]);
});

describe("parameters", () => {
  it("that are true or false are booleans, with a boolean as default", () => {
    const schemas = operations.flatMap(({ parameters }) => parameters.map(({ schema }) => schema));
    const flags = schemas.filter(({ type }) => type === "boolean");
    expect(flags.map((schema) => schema.default)).toContain(true);
    for (const schema of flags) expect(schema.default).toBeTypeOf("boolean");
    expect(schemas.filter((schema) => schema.enum?.includes("true"))).toEqual([]);
  });

  it("and properties have formats that JSON Schema or OpenAPI knows", () => {
    const schemas = [...inNames, ...inRequests, ...inAnswers].map(({ schema }) => schema);
    const formats = new Set(schemas.map(({ format }) => format).filter((format) => format !== undefined));
    expect([...formats].sort()).toEqual(["binary", "date-time", "email", "uuid"]);
  });
});

it("no parameter has the name of a schema in any case, because generators make a file of each", () => {
  const { parameters, schemas } = document.components;
  const names = [...Object.keys(parameters), ...Object.keys(schemas)].map((name) => name.toLowerCase());
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

describe("descriptions", () => {
  it("exist for every parameter", () => {
    const bare = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ description }) => !/\.$/.test(description)).map(({ name }) => `${operationId} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it("exist for every property that is no constant, or for its type", () => {
    const bare = [...inNames, ...inRequests, ...inAnswers].flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {}).flatMap(([name, { description, $ref, ...rest }]) =>
        "const" in rest ||
        /\.$/.test(description ?? named[$ref?.split("/").at(-1) ?? ""]?.description ?? "") ||
        name === "data"
          ? []
          : [`${at}.${name}`],
      ),
    );
    expect([...new Set(bare)]).toEqual([]);
  });

  it("exist for every named schema", () => {
    expect(Object.entries(named).filter(([, { description }]) => !/\S\.$/.test(description ?? ""))).toEqual([]);
  });
});

describe("names", () => {
  it("exist for every resource", () => {
    // biome-ignore format: a list of words.
    const nouns = [
      "Session", "Job", "Message", "Block", "TextBlock", "ToolBlock", "PlanBlock", "ArtifactBlock", "ClarificationBlock",
      "FiledSessionsBlock", "QueuedMessage", "Queue", "Artifact", "ArtifactRow", "Preview", "Health", "ShareLink",
      "SharedPreview", "ReviewComment", "DiffComment", "Attachment", "Author", "Assignee", "Model", "Workspace", "Project",
      "ApiKey", "RelayKey", "Prototype", "Skill", "FileTreeEntry", "ChangedFile", "Commit", "GitState", "SandboxLimit",
      "Delivery", "Pagination", "LiveEvent", "Error", "ErrorCode",
    ];
    expect(Object.keys(named)).toEqual(expect.arrayContaining(nouns));
  });

  it("are all used", () => {
    const events = answers.flatMap((one) => one["x-events"] ?? []);
    const sent = document.components.requestBodies.WebhookEvent as { content: Record<string, Content> };
    const bodies = [...requests, ...answers, ...Object.values(sent.content)];
    const reached = namesFrom([...bodies.map(({ schema }) => schema), ...events]);
    expect(Object.keys(named).filter((name) => !reached.has(name))).toEqual([]);
  });

  it("leave no resource as an inline schema in a response", () => {
    const inline = inAnswers.filter(
      ({ at, schema }) =>
        Object.hasOwn(schema.properties ?? {}, "id") || (at.endsWith("[]") && schema.type === "object"),
    );
    expect(inline.map(({ at }) => at)).toEqual([]);
  });

  it("distinguish blocks by their type", () => {
    const { discriminator, oneOf = [] } = named.Block ?? {};
    expect(discriminator?.propertyName).toBe("type");
    expect(Object.values(discriminator?.mapping ?? {}).sort()).toEqual(oneOf.map(({ $ref }) => $ref).sort());
    expect(Object.keys(discriminator?.mapping ?? {})).toContain("filed_sessions");
  });

  it("exist for every reference, as generators of clients expect", () => {
    const text = JSON.stringify([named, requests, answers]);
    const referred = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name);
    expect(referred.length).toBeGreaterThan(100);
    expect(referred.filter((name) => !Object.hasOwn(named, name))).toEqual([]);
  });

  it("exist for the events of every stream", () => {
    const streams = operations.filter(({ responses }) => responses[200]?.content?.["text/event-stream"]);
    const events = streams.map(({ operationId, responses }) => {
      const reference = responses[200]?.content?.["text/event-stream"]?.["x-events"]?.$ref ?? "";
      const name = reference.split("/").at(-1) ?? "";
      return [
        operationId,
        name,
        Object.keys(named[name]?.properties ?? {})
          .sort()
          .join(" "),
      ];
    });
    expect(events).toEqual([
      ["followSession", "SessionEvents", "block delta end job output pull_request queue reset session"],
      ["followTurn", "TurnEvents", "block delta end job output reset"],
      ["followDeploys", "DeployEvents", "block delta deploy end job output queue reset"],
      [
        "followWorkspace",
        "WorkspaceEvents",
        "activity cron cron_deleted deleted members project project_deleted reset seen session",
      ],
      [
        "followWorkspaces",
        "WorkspaceEvents",
        "activity cron cron_deleted deleted members project project_deleted reset seen session",
      ],
      ["followCronRun", "TurnEvents", "block delta end job output reset"],
    ]);
  });

  it("list every stable code of an error", () => {
    expect(named.ErrorCode?.enum).toEqual(Object.keys(refusals));
  });
});

describe("examples", () => {
  const isText = ({ at }: { at: string }) => !at.startsWith("downloadAttachment");

  it("exist for every request and response body", () => {
    expect([...requests, ...answers].filter(({ example }) => example === undefined).map(({ at }) => at)).toEqual([]);
  });

  it("fit their schemas", () => {
    const wrong = [...requests, ...answers].filter(isText).flatMap(({ at, schema, example }) => {
      const mistake = findMistake(schema, example);
      return mistake ? [`${at}: ${mistake}`] : [];
    });
    expect(wrong).toEqual([]);
    const names = Object.entries(named).flatMap(([name, schema]) => {
      // An object without an example may have one in its parts.
      const parts = Object.values(schema.properties ?? {}).filter(({ examples }) => examples);
      const examples = schema.examples ?? (parts.length > 0 ? [createExample(schema, named)] : []);
      return examples.flatMap((example) => findMistake(schema, example) ?? []).map((mistake) => `${name}: ${mistake}`);
    });
    expect(names).toEqual([]);
  });

  it("have a value for every text", () => {
    const vague = [...requests, ...answers].filter(({ example }) => JSON.stringify(example).includes(`"${noExample}"`));
    expect(vague.map(({ at }) => at)).toEqual([]);
  });
});

describe("an unknown field", () => {
  const isHook = ({ at }: { at: string }) => at.startsWith("receiveCodeHostWebhook");
  const closed = ({ schema }: { schema: JsonSchema }) => schema.additionalProperties === false;

  it("is refused in every request", () => {
    const sent = namesFrom(requests.map(({ schema }) => schema));
    const objects = [...inRequests, ...inNames.filter(({ at }) => sent.has(at.split(/[.[]/)[0] ?? ""))];
    const open = objects.filter((one) => one.schema.properties && !closed(one) && !isHook(one));
    expect(open.map(({ at }) => at)).toEqual([]);
  });

  it("is allowed in every response", () => {
    const answered = namesFrom(answers.map(({ schema }) => schema));
    const objects = [...inAnswers, ...inNames.filter(({ at }) => answered.has(at.split(/[.[]/)[0] ?? ""))];
    expect(objects.filter(closed).map(({ at }) => at)).toEqual([]);
  });
});

it.each([
  ["listCommits", 1_000],
  ["readUsage", usageGroupsMax],
  ["listPrototypes", listedMax],
  ["searchMessages", indexedMessagesPerTurn],
])("%s says that it has at most %i rows", (name, most) => {
  const { summary, description } = operations.find(({ operationId }) => operationId === name) ?? { summary: "" };
  expect(`${summary} ${description}`).toContain(` ${most.toLocaleString("en-US")} `);
});
