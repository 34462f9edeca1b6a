// Shared previews, for anyone who has the link. The responses must not be cached, because a link
// can be revoked.
import * as z from "zod";
import { readArtifact } from "../../artifact/read.ts";
import { artifactSchema, toWireArtifact } from "../../artifact/wire/artifact.ts";
import { publicEndpoint } from "../../http/endpoint.ts";
import { flag } from "../../http/query.ts";
import { ok } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { recordView } from "../queries/share-links.ts";
import { findSharedTarget } from "../queries/targets.ts";
import { findSharedArtifacts } from "../rules/share-link.ts";
import { readSharedPreview } from "../view-shared.ts";
import { sharedPreviewSchema, toWireSharedPreview } from "../wire.ts";

const path = "/api/shared-previews/{slug}";
const tag = "Previews";
const unknownLink = refuse(
  "NOT_FOUND",
  "This link does not exist, or has been revoked. Ask the person who shared it for a new one.",
);

const view = publicEndpoint({
  method: "GET",
  path,
  operation: "readSharedPreview",
  summary: "See what a public link shares. Wakes a paused preview, unless `wake` is `false`.",
  tag,
  query: z.strictObject({
    wake: flag(true).describe("`false` leaves a paused sandbox paused."),
  }),
  counter: "SHARED_PREVIEW_REQUESTS",
  response: { status: 200, data: sharedPreviewSchema },
  refusals: ["BAD_REQUEST", "NOT_FOUND", "TOO_MANY_REQUESTS"],
  async handle({ env, now, params, query }) {
    const target = await findSharedTarget(env.DB, params.slug);
    if (!target) return unknownLink;
    await recordView(env.DB, target.link, now);
    return ok(toWireSharedPreview(await readSharedPreview(env, target, { wakes: query.wake, now })));
  },
});

const artifact = publicEndpoint({
  method: "GET",
  path: `${path}/artifacts/{artifactId}`,
  operation: "readSharedArtifact",
  summary: "Read an artifact of the session that a public link shares.",
  tag,
  counter: "SHARED_ARTIFACT_REQUESTS",
  response: { status: 200, data: artifactSchema },
  refusals: ["NOT_FOUND", "TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"],
  async handle({ env, params }) {
    const target = await findSharedTarget(env.DB, params.slug);
    if (!target) return unknownLink;
    const session = findSharedArtifacts(target);
    if (isRefusal(session)) return session;
    const read = await readArtifact(env, session.id, params.artifactId);
    return isRefusal(read) ? read : ok(toWireArtifact(read, null));
  },
});

export const sharedPreviewRoutes = [view, artifact];
