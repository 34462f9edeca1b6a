// The previews of a project: their URLs, their health and a reset.
import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { listFrontends } from "../../project/rules/frontends.ts";
import { isRefusal, refuse, refuseField } from "../../rules/refusal.ts";
import { isOpen } from "../../session/rules/status.ts";
import { createFrontendUrls } from "../host/address.ts";
import { findPreviewTarget } from "../queries/targets.ts";
import { readPreview } from "../read.ts";
import { getHealth } from "../rules/preview.ts";
import { createGrant, getSandboxKey } from "../wake.ts";
import { healthSchema, previewSchema, queuedResetSchema } from "../wire.ts";

const path = "/api/projects/{projectId}/preview";
const tag = "Previews";

/** Names the session of a preview. */
export const ofPreviewSession = z.strictObject({
  sessionId: z.string().toLowerCase().optional().describe("The session; the main preview by default."),
});

const read = endpoint({
  method: "GET",
  path,
  operation: "readPreview",
  summary: "Find the preview of a session, or the project's main preview. Wakes a paused sandbox in the background.",
  tag,
  access: "sandbox.use",
  noun: "project",
  query: ofPreviewSession,
  response: { status: 200, data: previewSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, found, query, caller }) {
    const target = await findPreviewTarget(env.DB, found.project.id, query.sessionId ?? null);
    if (!target) return refuse("NOT_FOUND", "There is no such session in this project.");
    const preview = await readPreview(env, { target, caller }, now);
    return isRefusal(preview) ? preview : ok(preview);
  },
});

const health = endpoint({
  method: "GET",
  path: `${path}/health`,
  operation: "readPreviewHealth",
  summary: "Return the health of a preview's services. Never wakes a sandbox.",
  tag,
  access: "sandbox.read",
  noun: "project",
  query: ofPreviewSession,
  response: { status: 200, data: healthSchema },
  async handle({ env, now, found, query, caller }) {
    const target = await findPreviewTarget(env.DB, found.project.id, query.sessionId ?? null);
    if (!target) return refuse("NOT_FOUND", "There is no such session in this project.");
    if (target.session && !isOpen(target.session.status)) {
      return refuse("NOT_FOUND", "A session in the Backlog, or one that has ended, has no preview.");
    }
    const sandboxKey = getSandboxKey(target);
    const sight = await getSandboxObject(env, sandboxKey).status();
    const layout = sight.layout ?? target.project.settings.services;
    const frontends = listFrontends(layout);
    const grant = createGrant(target, caller);
    const answer = {
      ...getHealth(sight, layout, frontends),
      ...(target.isBlockedOnBilling && { creditLimitReached: true }),
      ...(target.isAtSandboxLimit && { sandboxLimitReached: true }),
    };
    if (!answer.sandboxAvailable) return ok({ ...answer, frontendUrls: {} });
    return ok({
      ...answer,
      // As in the preview read.
      frontendUrls: target.isBlockedOnBilling ? {} : await createFrontendUrls(env, grant, frontends, now),
      sandboxId: `${sandboxKey}-${sight.generation}`,
      canRetainPreview: !sight.resumesOnVisit,
    });
  },
});

const noBody = refuseField("", "must be an object, {} for the main preview");

const reset = endpoint({
  method: "POST",
  path: `${path}/reset`,
  operation: "resetPreview",
  summary: "Restart the services of a running sandbox. A reset while one runs has no effect.",
  tag,
  access: "sandbox.use",
  noun: "project",
  query: ofPreviewSession,
  body: { schema: ofPreviewSession.optional() },
  response: { status: 200, data: queuedResetSchema },
  refusals: ["BAD_REQUEST", "SANDBOX_STARTING"],
  async handle({ env, found, query, body }) {
    // Without a body, an omitted session would reset the main preview.
    if (body === undefined && query.sessionId === undefined) return noBody;
    const { sessionId = query.sessionId } = body ?? {};
    if (query.sessionId !== undefined && query.sessionId !== sessionId)
      return refuse("BAD_REQUEST", "The query and the body name different sessions. Name only one.");
    const target = await findPreviewTarget(env.DB, found.project.id, sessionId ?? null);
    if (!target) return refuse("NOT_FOUND", "There is no such session in this project.");
    if (target.session && !isOpen(target.session.status)) {
      return refuse("BAD_REQUEST", "A session in the Backlog, or one that has ended, has no preview to reset.");
    }
    const sandboxKey = getSandboxKey(target);
    const refusal = await getSandboxObject(env, sandboxKey).reset();
    return refusal ?? ok({ status: "queued", projectId: found.project.id, sandboxKey });
  },
});

export const previewRoutes = [read, health, reset];
