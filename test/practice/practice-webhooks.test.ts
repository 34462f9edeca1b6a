// The practice code host's webhooks: the app's list of them, and redelivery.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWebhooks, handleDeliveries, type Webhooks } from "../../practice/code-host/webhooks.ts";
import { until } from "../support/until.ts";

const deliveries: (string | undefined)[] = [];
let status = 503;
const receiver = createServer((request, response) => {
  deliveries.push(request.headers["x-github-delivery"] as string);
  request.resume();
  response.writeHead(status).end();
});
let webhooks: Webhooks;
beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  const { port } = receiver.address() as AddressInfo;
  webhooks = createWebhooks({ url: `http://127.0.0.1:${port}`, secret: "secret" });
});
afterAll(async () => {
  await webhooks.close();
  receiver.closeAllConnections();
  receiver.close();
});

test("one that failed is listed, and arrives under the same id when it is asked for again", async () => {
  webhooks.send("push", { repository: { id: 7 }, ref: "refs/heads/main" });
  await until("the attempt", () => webhooks.sent().length === 1);
  const [first] = webhooks.sent();
  expect(first).toMatchObject({ event: "push", status_code: 503, redelivery: false, repository_id: 7 });
  expect(handleDeliveries(webhooks, "GET", "/app/hook/deliveries")).toMatchObject({ status: 200, body: [first] });
  status = 204;
  const again = `/app/hook/deliveries/${first?.id}/attempts`;
  expect(handleDeliveries(webhooks, "POST", again)).toMatchObject({ status: 202 });
  await until("the second attempt", () => webhooks.sent().length === 2);
  expect(webhooks.sent()[0]).toMatchObject({ guid: first?.guid, status_code: 204, redelivery: true });
  expect(deliveries).toEqual([first?.guid, first?.guid]);
  expect(handleDeliveries(webhooks, "POST", "/app/hook/deliveries/999/attempts")).toMatchObject({ status: 404 });
  expect(handleDeliveries(webhooks, "GET", "/app")).toBeNull();
});
