// The artifacts of a session: listed and read, also after the session has ended, which wakes no sandbox; in the Backlog, copied from a
// Prototype.
import * as z from "zod";
import { copyPrototype } from "../../actions/artifact/copy-prototype.ts";
import { readArtifact } from "../../actions/artifact/read.ts";
import { created, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { artifactOnWire, artifactRowOnWire, artifactRowSchema, artifactSchema } from "../../resources/artifact.ts";
import { uuid } from "../../resources/wire-values.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { artifactsOf } from "../../storage/queries/artifacts.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";
const tag = "Artifacts";
const rows = z.object({ artifacts: z.array(artifactRowSchema) });

const list = endpoint({
  method: "GET",
  path,
  summary: "List the session's artifacts without their content, the most recently changed first.",
  tag,
  access: "artifact.read",
  noun: "session",
  answers: { status: 200, data: rows },
  async handle({ env, found }) {
    const artifacts = await artifactsOf(env.DB, found.session.id);
    return ok({ artifacts: artifacts.map(artifactRowOnWire) });
  },
});

const copy = endpoint({
  method: "POST",
  path,
  summary: "Copy a Prototype's variants, or the one named, onto a Backlog session as its own artifacts.",
  tag,
  access: "artifact.copy",
  noun: "session",
  body: { schema: z.strictObject({ prototypeId: uuid, variant: z.string().nullish() }) },
  answers: { status: 201, data: rows },
  refusals: ["BAD_REQUEST"],
  async handle({ env, found, body }) {
    const place = { projectId: found.project.id, sessionId: found.session.id };
    const { prototypeId, variant } = body;
    const copies = await copyPrototype(env, { ...place, prototypeId, variant: variant ?? null });
    return isRefusal(copies) ? copies : created({ artifacts: copies.map(artifactRowOnWire) });
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{artifactId}`,
  summary: "Read an artifact with its content.",
  tag,
  access: "artifact.read",
  noun: "session",
  answers: { status: 200, data: artifactSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found, params }) {
    const artifact = await readArtifact(env, found.session.id, params.artifactId ?? "");
    return isRefusal(artifact) ? artifact : ok(artifactOnWire(artifact));
  },
});

export const artifactRoutes = [list, copy, read];
