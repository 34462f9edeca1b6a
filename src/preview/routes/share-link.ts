// The public link of a preview: read, create and revoke.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, ok, unchanged } from "../../http/response.ts";
import { createSecret } from "../../lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { createShareLink, findShareLink, revokeShareLink } from "../queries/share-links.ts";
import { findPreviewTarget, type PreviewTarget } from "../queries/targets.ts";
import { getSandboxKey } from "../wake.ts";
import { shareSchema, toWireShareLink } from "../wire.ts";

const path = "/api/projects/{projectId}/preview/share";
const tag = "Previews";
const ofSession = z.strictObject({
  sessionId: z.string().toLowerCase().optional().describe("The session; the main preview by default."),
});
const shareAnswer = z.object({ share: shareSchema.nullable().describe("The link; null where there is none.") });

const read = endpoint({
  method: "GET",
  path,
  operation: "readShareLink",
  summary: "Read the public link of a preview.",
  tag,
  access: "share-link.read",
  noun: "project",
  query: ofSession,
  response: { status: 200, data: shareAnswer },
  async handle({ env, found, query }) {
    const target = await findTarget(env.DB, found.project.id, query.sessionId);
    if (isRefusal(target)) return target;
    const link = await findShareLink(env.DB, getSandboxKey(target));
    return ok({ share: link && toWireShareLink(link, env.PUBLIC_URL) });
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createShareLink",
  summary: "Create or return the public link of a preview. A sessionId in the body wins over the query.",
  tag,
  access: "share-link.create",
  noun: "project",
  query: ofSession,
  body: { schema: ofSession.optional() },
  response: { status: 201, data: shareAnswer },
  repeatResponse: "The link that the preview already has.",
  async handle({ env, now, caller, found, query, body }) {
    const target = await findTarget(env.DB, found.project.id, body?.sessionId ?? query.sessionId);
    if (isRefusal(target)) return target;
    const slug = createSecret();
    const link = await createShareLink(env.DB, {
      slug,
      projectId: target.project.id,
      sessionId: target.session?.id ?? null,
      sandboxKey: getSandboxKey(target),
      createdBy: caller.user?.id ?? null,
      createdAt: now,
      lastViewedAt: null,
    });
    const data = { share: toWireShareLink(link, env.PUBLIC_URL) };
    return link.slug === slug ? created(data) : unchanged(ok(data));
  },
});

const revoke = endpoint({
  method: "DELETE",
  path,
  operation: "revokeShareLink",
  summary: "Revoke the public link of a preview. It stops resolving immediately.",
  tag,
  access: "share-link.revoke",
  noun: "project",
  query: ofSession,
  response: { status: 200, data: z.object({ share: z.null().describe("Always null.") }) },
  async handle({ env, found, query }) {
    const target = await findTarget(env.DB, found.project.id, query.sessionId);
    if (isRefusal(target)) return target;
    const answer = ok({ share: null });
    const preview = { projectId: target.project.id, sessionId: target.session?.id ?? null };
    return (await revokeShareLink(env.DB, preview)) ? answer : unchanged(answer);
  },
});

async function findTarget(
  database: D1Database,
  projectId: string,
  sessionId: string | undefined,
): Promise<PreviewTarget | Refusal> {
  const target = await findPreviewTarget(database, projectId, sessionId ?? null);
  return target ?? refuse("NOT_FOUND", "There is no such session in this project.");
}

export const shareLinkRoutes = [read, create, revoke];
