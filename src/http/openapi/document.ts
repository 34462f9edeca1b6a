// Builds the OpenAPI 3.1 document from the endpoints' own declarations.
import * as z from "zod";
import type { Env } from "../../env.ts";
import { sessionCookie } from "../../key/credential.ts";
import { type Refusal, type RefusalCode, refusals } from "../../rules/refusal.ts";
import { webhookEventSchema } from "../../webhook/wire.ts";
import type { Endpoint } from "../endpoint.ts";
import { tags } from "../tags.ts";
import { withSpreadExamples } from "./examples.ts";
import { createFailures } from "./failures.ts";
import {
  attachedFile,
  componentHeaders,
  createComponentParameters,
  createOperation,
  createPathParameters,
  noContentResponse,
  usualSecurity,
} from "./operation.ts";
import { createSharedParts } from "./repeated-parts.ts";
import {
  type ConvertedSchemas,
  getAnswerSchemas,
  listRequestSchemas,
  type NamedSchemas,
  toJsonSchemas,
} from "./schemas.ts";
import { webhookEventSentences } from "./webhook-events.ts";

const errorSchema = z
  .object({
    error: z.string().describe("What went wrong and what to do."),
    code: z
      .enum(Object.keys(refusals) as [RefusalCode, ...RefusalCode[]])
      .meta({ id: "ErrorCode", description: "What went wrong, for programs. A code never changes its meaning." }),
    details: z
      .unknown()
      .optional()
      .describe("Details. For an invalid request: a list of `{ path, message }`, one for each field."),
  })
  .meta({
    id: "Error",
    description: "A failure.",
    examples: [
      {
        error: "content is required.",
        code: "VALIDATION_ERROR",
        details: [{ path: "content", message: "is required" }],
      },
    ],
  });

const description = [
  "Hosts an AI coding agent for teams, at the edge. Send a message, poll the job of its turn or follow its events, then read the conversation.",
  "A success has its result in `data`. A failure is an `Error`. A request with an unknown name in its query or body is refused.",
  "Responses may get new fields at any time, so ignore those that you do not know. The header `X-Request-Id` of a response identifies it for the operator of the service. `Vary` is set where a browser gets a page instead.",
].join("\n\n");

/**
 * Loads the document for the service at `serverUrl`. This is slow, so callers cache it. The built
 * Worker has `saved-document.ts` in place of this module.
 */
export async function loadOpenApiDocument(
  _: Pick<Env, "STORE">,
  endpoints: Endpoint[],
  serverUrl: string,
): Promise<object | Refusal> {
  return createOpenApiDocument(endpoints, serverUrl);
}

/** Builds the document for the service at `serverUrl`. */
export function createOpenApiDocument(endpoints: Endpoint[], serverUrl: string) {
  const requests = toJsonSchemas(endpoints.flatMap(listRequestSchemas), "input");
  const answers = toJsonSchemas([errorSchema, webhookEventSchema, ...endpoints.flatMap(getAnswerSchemas)], "output");
  const failures = createFailures(endpoints);
  const all: Record<string, Record<string, ReturnType<typeof createOperation>>> = {};
  for (const endpoint of endpoints) {
    const operation = createOperation(endpoint, { requests, answers, failures });
    all[endpoint.path] = { ...all[endpoint.path], [endpoint.method.toLowerCase()]: operation };
  }
  const schemas = { ...mergeSchemas(requests, answers), AttachedFile: attachedFile };
  const known = {
    parameters: createComponentParameters(endpoints),
    requestBodies: {
      WebhookEvent: { required: true, content: { "application/json": { schema: answers.of(webhookEventSchema) } } },
    },
    responses: { NoContent: noContentResponse, ...failures.named },
  };
  const { paths, components } = createSharedParts(all, known, Object.keys(schemas));
  return {
    openapi: "3.1.0",
    info: {
      title: "Switchyard",
      version: "1",
      description,
      contact: { name: "Switchyard" },
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: { url: "/docs/api" },
    servers: [{ url: serverUrl }],
    security: usualSecurity,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => {
        const parameters = createPathParameters(path);
        return [path, { ...(parameters.length > 0 && { parameters }), ...operations }];
      }),
    ),
    webhooks: Object.fromEntries(
      Object.entries(webhookEventSentences).map(([type, description]) => [
        type,
        { $ref: "#/components/pathItems/WebhookEvent", summary: description },
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer svc_key_…`." },
        browserSession: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie,
          description:
            "The cookie of a person who signed in. A request that changes something needs the service's `Origin`.",
        },
        signature: {
          type: "apiKey",
          in: "header",
          name: "X-Hub-Signature-256",
          description: "The code host's signature of the body.",
        },
      },
      headers: componentHeaders,
      ...components,
      pathItems: { WebhookEvent: { post: { requestBody: { $ref: "#/components/requestBodies/WebhookEvent" } } } },
      schemas: withSpreadExamples(schemas),
    },
  };
}

/** The named schemas of requests and responses. A name must mean the same in both. */
function mergeSchemas(requests: ConvertedSchemas, answers: ConvertedSchemas): NamedSchemas {
  for (const [name, schema] of Object.entries(requests.named)) {
    const answered = answers.named[name];
    if (answered && JSON.stringify(answered) !== JSON.stringify(schema))
      throw new Error(`${name} is one schema in requests and another in answers.`);
  }
  return { ...requests.named, ...answers.named };
}
