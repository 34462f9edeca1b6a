// The artifacts of a session: listed and read, also after the session has ended. Reading wakes no sandbox.
import * as z from "zod";
import { readArtifact } from "../../actions/read-artifact.ts";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { artifactOnWire, artifactRowOnWire, artifactRowSchema, artifactSchema } from "../../resources/artifact.ts";
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

export const artifactRoutes = [list, read];
