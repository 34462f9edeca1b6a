// The longest webhooks that the code host sends, several at the same time.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { getWebhookInboxObject } from "../../../durable-objects/address.ts";
import { codeHostWebhookRoutes } from "../../../src/code-host/webhook-route.ts";
import type { Env } from "../../../src/env.ts";

const repositoryId = 9_000_001;

async function send(delivery: string) {
  const body = new TextEncoder().encode(
    JSON.stringify({
      ref: "refs/heads/main",
      commits: [{ message: "x".repeat(24 * 1_024 * 1_024) }],
      ...{ deleted: false, forced: false },
      repository: { id: repositoryId, full_name: "acme/large" },
    }),
  );
  const hmac = createHmac("sha256", "tests");
  hmac.update(body);
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${hmac.digest("hex")}`,
  };
  const request = new Request("https://switchyard.test/api/webhooks/github", { method: "POST", headers, body });
  const [receive] = codeHostWebhookRoutes;
  return await receive?.serve(request, env as unknown as Env, {});
}

it("concurrent pushes of 24 megabytes are all accepted", async () => {
  const answers = await Promise.all([send("one"), send("two"), send("three")]);
  expect(answers).toMatchObject([{ status: 204 }, { status: 204 }, { status: 204 }]);
  const kept = await runInDurableObject(getWebhookInboxObject(env, repositoryId), (_, { storage }) =>
    [...storage.sql.exec("SELECT id FROM deliveries ORDER BY id")].map(({ id }) => id),
  );
  expect(kept).toEqual(["one", "three", "two"]);
});
