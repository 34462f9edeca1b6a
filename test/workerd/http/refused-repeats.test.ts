// Creates that are repeated under their Idempotency-Key where they would be refused by now: each
// repeat gets the first answer.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { cronRoutes } from "../../../src/cron/routes/crons.ts";
import { webhookRoutes } from "../../../src/webhook/routes.ts";
import { addCronWorkspace } from "../support/cron-driver.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const routes = [...cronRoutes, ...webhookRoutes];
// In this zone a day of each spring has no time between 2 and 3.
const nearTheGap = { name: "Nightly", prompt: "Look around.", cronExpression: "0,50 1,3 * * *" };
const hook = { name: "a", url: "https://hooks.example.com/a", events: ["*"] };

test.each<[string, string, (projectId: string) => object, string]>([
  ["webhook whose project was deleted", "createWebhook", (id) => ({ ...hook, projects: [id] }), "DELETE FROM projects"],
  [
    "cron whose times the zone of the workspace brings together",
    "createCron",
    (id) => ({ ...nearTheGap, projectIds: [id] }),
    "UPDATE workspaces SET timezone = 'Europe/Berlin'",
  ],
])("the create of a %s", async (_, operation, toBody, change) => {
  const { workspaceId, projectIds, userId } = await addCronWorkspace();
  const [projectId = ""] = projectIds;
  const { token } = await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, Date.now());
  const body = JSON.stringify(toBody(projectId));
  async function create(key: string) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "Idempotency-Key": key };
    const request = new Request("http://service.test/", { method: "POST", headers, body });
    return await routes.find((route) => route.operation === operation)?.serve(request, unlimitedEnv, { workspaceId });
  }
  const first = await create("first");
  expect(first).toMatchObject({ status: 201 });
  await env.DB.prepare(`${change} WHERE id IN (?1, ?2)`).bind(workspaceId, projectId).run();
  expect(await create("another")).toMatchObject({ code: expect.any(String) });
  expect(await create("first")).toMatchObject({ status: 201 });
});
