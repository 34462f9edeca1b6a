// The settings of a project: its setup, services and environment.

import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { readSettings, saveSettings } from "../settings.ts";
import { projectSettingsSchema, settingsBody } from "../wire.ts";

const path = "/api/projects/{projectId}/settings";
const tag = "Projects";
const response = { status: 200, data: projectSettingsSchema } as const;

const read = endpoint({
  method: "GET",
  path,
  operation: "readProjectSettings",
  summary: "Read a project's settings. The values of environments are masked.",
  tag,
  access: "project.read",
  noun: "project",
  response,
  async handle({ env, found }) {
    const settings = await readSettings(env, found.project.id);
    return isRefusal(settings) ? settings : ok(settings);
  },
});

const put = endpoint({
  method: "PUT",
  path,
  operation: "putProjectSettings",
  summary:
    "Replace a project's settings. They apply from the next start or reset of a sandbox; a running service does not change.",
  tag,
  access: "project.change",
  noun: "project",
  body: { schema: settingsBody },
  response,
  refusals: ["CONFLICT"],
  async handle({ env, now, found, body }) {
    const settings = await saveSettings(env, { projectId: found.project.id, settings: body }, now);
    return isRefusal(settings) ? settings : ok(settings);
  },
});

export const projectSettingsRoutes = [read, put];
