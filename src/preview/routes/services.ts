// The services of a preview: their state and their logs.
import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { formatAsleep } from "../../sandbox/rules/owner.ts";
import { isOpen } from "../../session/rules/status.ts";
import { findPreviewTarget, type PreviewTarget } from "../queries/targets.ts";
import { serviceLogOffset } from "../rules/service-log.ts";
import { findServiceReports } from "../rules/service-state.ts";
import { getSandboxKey } from "../wake.ts";
import { serviceLogSchema, servicesSchema, toWireService } from "../wire.ts";
import { ofPreviewSession } from "./preview.ts";

const path = "/api/projects/{projectId}/preview/services";
const tag = "Previews";

const list = endpoint({
  method: "GET",
  path,
  operation: "listPreviewServices",
  summary: "Return the states of a preview's services. Never wakes a sandbox.",
  tag,
  access: "sandbox.read",
  noun: "project",
  query: ofPreviewSession,
  response: { status: 200, data: servicesSchema },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, now, found, query }) {
    const target = await openTarget(env.DB, found.project.id, query.sessionId);
    if (isRefusal(target)) return target;
    const status = await getSandboxObject(env, getSandboxKey(target)).status();
    const services = findServiceReports(status, status.layout ?? target.project.settings.services);
    if (services === null)
      return refuse("SERVICE_UNAVAILABLE", "The sandbox did not answer. Ask again in a few seconds.");
    return ok({ services: services.map((service) => toWireService(service, now)) });
  },
});

const log = endpoint({
  method: "GET",
  path: `${path}/{serviceName}/log`,
  operation: "readServiceLog",
  summary: "Read the newest output of a service. Never wakes a sandbox.",
  tag,
  access: "sandbox.read",
  noun: "project",
  query: ofPreviewSession.extend({
    after: z
      .string()
      .regex(serviceLogOffset, "is no `offset` of an answer")
      .optional()
      .describe("The `offset` of an earlier response: the new output follows."),
  }),
  response: { status: 200, data: serviceLogSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, params, query }) {
    const target = await openTarget(env.DB, found.project.id, query.sessionId);
    if (isRefusal(target)) return target;
    const name = params.serviceName;
    const asleep = target.session ? formatAsleep(target.session.status) : "The main sandbox is not running.";
    const { after = null } = query;
    const read = await getSandboxObject(env, getSandboxKey(target)).serviceLog({ name, after }, asleep);
    return isRefusal(read) ? read : ok({ name, ...read });
  },
});

/** The preview of a session that can have one. */
async function openTarget(
  database: D1Database,
  projectId: string,
  sessionId: string | undefined,
): Promise<PreviewTarget | Refusal> {
  const target = await findPreviewTarget(database, projectId, sessionId ?? null);
  if (!target) return refuse("NOT_FOUND", "There is no such session in this project.");
  if (!target.session || isOpen(target.session.status)) return target;
  return refuse("NOT_FOUND", "A session in the Backlog, or one that has ended, has no preview.");
}

export const serviceRoutes = [list, log];
