// A cron looks at a project each night. The first call creates it, and each one prints its report.
// Exit codes: 0 a report, or none yet, 1 the run failed or the cron is off, 2 a setting is missing.
import { Switchyard } from "@switchyard/client";

const { SWITCHYARD_URL, SWITCHYARD_API_KEY, SWITCHYARD_PROJECT, CRON_NAME: name = "Nightly look" } = process.env;
const prompt = process.argv[2] ?? "Look for mistakes that reach users. File a session for each, and say how to see it.";

if (!SWITCHYARD_URL || !SWITCHYARD_API_KEY || !SWITCHYARD_PROJECT) {
  console.error("Set SWITCHYARD_URL, SWITCHYARD_API_KEY and SWITCHYARD_PROJECT.");
  process.exit(2);
}

const sy = new Switchyard({ baseUrl: SWITCHYARD_URL, apiKey: SWITCHYARD_API_KEY, client: "nightly-cron/1.0" });
const { id: projectId, orgId: workspaceId } = await sy.projects.find(SWITCHYARD_PROJECT);
const crons = "/api/organizations/{workspaceId}/crons";

// The search also finds parts of names and prompts. A cron that exists stays as it is.
const query = { projectId, search: name, pageSize: 100 };
const { crons: found } = await sy.request(`GET ${crons}`, { path: { workspaceId }, query });
const body = { name, prompt, projectIds: [projectId], cronExpression: "0 3 * * *" };
const cron =
  found.find((one) => one.name === name) ??
  (await sy.request(`POST ${crons}`, { path: { workspaceId }, body, idempotencyKey: crypto.randomUUID() }));

const path = { workspaceId, cronId: cron.id };
const ended = { projectId: [projectId], status: ["succeeded", "failed", "cancelled"], pageSize: 1 };
const { runs } = await sy.request(`GET ${crons}/{cronId}/runs`, { path, query: ended });
for (const { id: runId } of runs.filter(({ createdAt }) => Date.now() - Date.parse(createdAt) < 24 * 3_600_000)) {
  const run = await sy.request(`GET ${crons}/{cronId}/runs/{runId}`, { path: { ...path, runId } });
  console.log(`${run.status}, ${run.createdAt}\n${run.report?.reply ?? run.error ?? "No report."}`);
  for (const { title, status, sessionUrl } of run.filedSessions) console.log(`- ${title} (${status}) ${sessionUrl}`);
  if (run.status === "failed") process.exitCode = 1;
}

const { pausedReason } = cron.projects.find(({ id }) => id === projectId) ?? {};
const off = cron.enabled ? pausedReason : (cron.disabledReason ?? "Somebody has paused it.");
console.log(off ? `The cron does not fire: ${off}` : `The cron fires next at ${cron.nextRunAt}.`);
if (off) process.exitCode = 1;
