// The samples of events that the console offers for a trial are what the service reads.
import { expect, test } from "vitest";
import { createSample, trialEvents } from "../../../console/src/project/trigger-trial.ts";
import { createWebhookReader, listWebhooks } from "../../../src/code-host/webhook.ts";

const facts = { repository: "acme/board", account: { login: "mia-member", accountId: "7" } };

test.each(trialEvents.filter(([event]) => event !== "http"))("%s is read as an event of GitHub", (event) => {
  const reader = createWebhookReader(event);
  reader?.read(new TextEncoder().encode(JSON.stringify(createSample(event, facts))));
  const found = reader === null ? [] : listWebhooks(reader);
  expect(found.length).toBeGreaterThan(0);
  for (const webhook of found) expect(webhook.repository).toEqual({ repository: "acme/board", repositoryId: 1 });
  expect(JSON.stringify(found)).toContain(event === "check_run" ? "svc/" : "mia-member");
});

test("a call has what paths can name", () => {
  expect(createSample("http", { repository: "acme/board", account: undefined })).toHaveProperty("incident.id");
});
