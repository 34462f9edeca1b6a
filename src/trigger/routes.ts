// The routes of triggers. Members read them. Owners and admins set them, because they start work
// that nobody asked for.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { created, ok, paged } from "../http/response.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { createId, createSecret } from "../lib/ids.ts";
import { catalog } from "../model/catalog.ts";
import { listRunnableProviders } from "../provider-login/rules/payer.ts";
import { isRefusal, refuse, refuseField } from "../rules/refusal.ts";
import { createWebhookSecret } from "../webhook/secrets.ts";
import { withLacks } from "./lacks.ts";
import { listTriggerRuns } from "./queries/runs.ts";
import { findTriggers, writeTriggerKey, writeTriggers } from "./queries/triggers.ts";
import { checkModels } from "./rules/needs.ts";
import { getUsualAnswer } from "./rules/trigger.ts";
import { projectDetails } from "./run.ts";
import { run } from "./run-route.ts";
import { sealTriggerSecret } from "./secrets.ts";
import { findTrials } from "./try.ts";
import {
  toListedRunWire,
  toTrialWire,
  trialBody,
  trialsSchema,
  triggerKeySchema,
  triggerRunSchema,
  triggerRunsQuery,
  triggersBody,
  triggersSchema,
} from "./wire.ts";

const ofTriggers = { tag: "Triggers", noun: "project", path: "/api/projects/{projectId}/triggers" } as const;

const read = endpoint({
  ...ofTriggers,
  method: "GET",
  operation: "readTriggers",
  summary: "Read the triggers of a project.",
  access: "trigger.read",
  response: { status: 200, data: triggersSchema },
  async handle({ env, found }) {
    return ok(await withLacks(env, found.project.id, await findTriggers(env.DB, found.project.id)));
  },
});

const isOutdated = refuse("CONFLICT", "The triggers were changed since you read them. Read them again, then change.");

const put = endpoint({
  ...ofTriggers,
  method: "PUT",
  operation: "putTriggers",
  summary: "Replace the triggers of a project. An older version than the newest is refused.",
  access: "trigger.change",
  body: { schema: triggersBody },
  response: { status: 200, data: triggersSchema },
  refusals: ["BAD_REQUEST", "CONFLICT"],
  async handle({ env, caller, found, body }) {
    const projectId = found.project.id;
    const known = await findTriggers(env.DB, projectId);
    const ids = body.triggers.flatMap(({ id }) => id ?? []);
    const unknown = ids.findIndex(
      (id, place) => ids.indexOf(id) < place || !known.triggers.some((one) => one.id === id),
    );
    if (known.version !== body.version) return isOutdated;
    if (unknown >= 0) return refuseField("triggers", `has an id that is unknown or there twice: ${ids[unknown]}`);
    const triggers = body.triggers.map(({ lacks: _, ...one }) => {
      return { ...one, id: one.id ?? createId(), answer: one.answer ?? getUsualAnswer(one.on) };
    });
    const runnable = listRunnableProviders(null, found.workspace.providers);
    const unrunnable = checkModels(triggers, known.triggers, { catalog, runnable });
    if (unrunnable) return unrunnable;
    const { version } = body;
    const writtenBy = caller.user?.id ?? null;
    const isReplaced = await writeTriggers(env.DB, { projectId, version, triggers, writtenBy });
    return isReplaced ? ok(await withLacks(env, projectId, { version: version + 1, triggers })) : isOutdated;
  },
});

const listRuns = endpoint({
  ...ofTriggers,
  path: "/api/projects/{projectId}/trigger-runs",
  method: "GET",
  operation: "listTriggerRuns",
  summary: "List the runs of 90 days, newest first.",
  access: "trigger.read",
  query: triggerRunsQuery,
  response: { status: 200, data: z.array(triggerRunSchema), isPaged: true },
  async handle({ env, now, found, query }) {
    const { runs, total } = await listTriggerRuns(env.DB, { projectId: found.project.id, ...query });
    return paged(
      runs.map((run) => toListedRunWire(run, now)),
      { ...query, total },
    );
  },
});

const createKey = endpoint({
  ...ofTriggers,
  path: "/api/projects/{projectId}/triggers/{triggerId}/key",
  method: "POST",
  operation: "createTriggerKey",
  summary: "Create the key and secret of an HTTP trigger. They replace older ones.",
  access: "trigger.change",
  response: { status: 201, data: triggerKeySchema },
  async handle({ env, now, found, params }) {
    const [key, secret] = [createSecret("svc_trg_"), createWebhookSecret()];
    const { triggerId } = params;
    const stored = { hash: await getKeyHash(key), sealed: await sealTriggerSecret(env, triggerId, secret) };
    return (await writeTriggerKey(env.DB, { projectId: found.project.id, triggerId, ...stored }, now))
      ? created({ key, secret })
      : refuse("NOT_FOUND", "The project has no such trigger with `on: http`.");
  },
});

const attempt = endpoint({
  ...ofTriggers,
  path: "/api/projects/{projectId}/triggers/try",
  method: "POST",
  operation: "tryTriggers",
  summary: "Try the triggers with an event. Nothing is sent or started.",
  access: "trigger.read",
  with: projectDetails,
  body: { schema: trialBody },
  response: { status: 200, data: trialsSchema },
  async handle({ env, now, found, body }) {
    const triggers = await findTrials(env, { found, ...body, now });
    return isRefusal(triggers) ? triggers : ok({ triggers: triggers.map(toTrialWire) });
  },
});

export const triggerRoutes = [read, put, listRuns, createKey, attempt, run];
