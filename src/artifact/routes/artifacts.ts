// The routes of a session's artifacts. They are listed and read without waking a sandbox, also
// after the session's end. In the Backlog, Prototypes are copied to the session.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, ok } from "../../http/response.ts";
import { exampleIds, uuid } from "../../lib/wire.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { copyPrototype } from "../prototypes.ts";
import { listArtifacts } from "../queries.ts";
import { createView, readArtifact } from "../read.ts";
import { artifactRowSchema, artifactSchema, toWireArtifact, toWireArtifactRow } from "../wire/artifact.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";
const tag = "Artifacts";
const listed = z.object({
  artifacts: z.array(artifactRowSchema).describe("The artifacts, the most recently changed first."),
});
const copied = z.object({ artifacts: z.array(artifactRowSchema).describe("The copies.") });

const copyBody = z
  .strictObject({
    prototypeId: uuid.describe("The Prototype's id."),
    variant: z.string().nullish().describe("A name; every variant by default."),
  })
  .meta({ examples: [{ prototypeId: exampleIds.prototype, variant: "calm" }] });

const list = endpoint({
  method: "GET",
  path,
  operation: "listArtifacts",
  summary: "List the session's artifacts, the most recently changed first.",
  tag,
  access: "artifact.read",
  noun: "session",
  response: { status: 200, data: listed },
  async handle({ env, found }) {
    const artifacts = await listArtifacts(env.DB, found.session.id);
    return ok({ artifacts: artifacts.map(toWireArtifactRow) });
  },
});

const copy = endpoint({
  method: "POST",
  path,
  operation: "copyPrototype",
  summary: "Copy variants of a Prototype to a Backlog session as artifacts.",
  tag,
  access: "artifact.copy",
  noun: "session",
  body: { schema: copyBody },
  isRepeatable: true,
  response: { status: 201, data: copied },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, body, idempotency }) {
    const place = { projectId: found.project.id, sessionId: found.session.id };
    const { prototypeId, variant } = body;
    const copies = await copyPrototype(env, { ...place, prototypeId, variant: variant ?? null }, idempotency);
    return isRefusal(copies) ? copies : created({ artifacts: copies.map(toWireArtifactRow) });
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{artifactId}`,
  operation: "readArtifact",
  summary: "Read an artifact with its content.",
  tag,
  access: "artifact.read",
  noun: "session",
  response: { status: 200, data: artifactSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, now, found, params }) {
    const artifact = await readArtifact(env, found.session.id, params.artifactId);
    return isRefusal(artifact) ? artifact : ok(toWireArtifact(artifact, await createView(env, artifact, now)));
  },
});

export const artifactRoutes = [list, copy, read];
