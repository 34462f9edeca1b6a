// The events of the practice code host, compared with GitHub's own examples.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { createWebhookReader } from "../../src/code-host/webhook.ts";
import { until } from "../support/until.ts";

/** What the tests read of an event. Each kind has more fields. */
interface Payload {
  action: string;
  sender?: { login: string };
  pull_request?: object;
}

interface ReceivedEvent {
  event: string;
  payload: Payload;
}

const { examples }: { examples: Record<string, Payload[]> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "webhook-examples.json"), "utf8"),
);
const of = (event: string) => examples[event] ?? [];

function readWebhook(event: string, payload: Payload | undefined) {
  const reader = createWebhookReader(event);
  reader?.read(new TextEncoder().encode(JSON.stringify(payload)));
  return reader?.end() ?? null;
}

/** The events of the practice code host, in order, while a function calls its API. */
async function receive(
  count: number,
  act: (call: (method: string, path: string, body: object) => Promise<Response>) => Promise<void>,
): Promise<ReceivedEvent[]> {
  const received: ReceivedEvent[] = [];
  const receiver = createServer(async (request, response) => {
    const event = String(request.headers["x-github-event"]);
    received.push({ event, payload: JSON.parse(await text(request)) });
    response.end();
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "practice-events-"));
  const codeHost = await startPracticeCodeHost({ folder, token: "token", webhooks: { url, secret: "secret" } });
  try {
    await codeHost.createRepository("acme/board", { "README.md": "# Board\n" });
    await act((method, path, body) =>
      fetch(`${codeHost.url}/repos/acme/board${path}`, {
        ...{ method, body: JSON.stringify(body), headers: { authorization: "Bearer token" } },
      }),
    );
    await until("all events", () => received.length === count);
  } finally {
    await codeHost.close();
    receiver.close();
    await rm(folder, { recursive: true });
  }
  return received;
}

test("the practice code host's issues have fields and types of GitHub's", async () => {
  const received = await receive(6, async (call) => {
    const first = `/issues/${1}`;
    await call("POST", "/issues", { title: "Empty board", body: "It is empty.", user: "sam-stranger" });
    await call("PATCH", first, { title: "The board is empty", user: "sam-stranger" });
    await call("POST", `${first}/labels`, { labels: ["switchyard"], user: "mia-member" });
    await call("DELETE", `${first}/labels/switchyard`, { user: "practice[bot]" });
    await call("POST", `${first}/assignees`, { assignees: ["switchyard[bot]"], user: "mia-member" });
    await call("PATCH", first, { state: "closed" });
  });
  expect(received.map(({ event, payload }) => `${event} ${payload.action}`).sort()).toEqual(
    ["assigned", "closed", "edited", "labeled", "opened", "unlabeled"].map((action) => `issues ${action}`),
  );
  for (const { payload } of received) {
    const [example] = of("issues").filter(({ action }) => action === payload.action.replace("closed", "reopened"));
    expect(listStrange(payload, example)).toEqual([]);
  }
  const labeled = received.find(({ payload }) => payload.action === "labeled");
  expect(readWebhook("issues", labeled?.payload)).toMatchObject({
    ...{ type: "labeled", repository: { repository: "acme/board" } },
    issue: {
      number: 1,
      title: "The board is empty",
      author: "sam-stranger",
      label: "switchyard",
      association: "NONE",
      by: { login: "mia-member" },
    },
  });
  const assigned = received.find(({ payload }) => payload.action === "assigned");
  expect(readWebhook("issues", assigned?.payload)).toMatchObject({ issue: { assignee: "switchyard[bot]" } });
});

test("the practice code host's pull requests have fields and types of GitHub's, and who did it", async () => {
  const user = "mia-member";
  const pull = `/issues/${1}`;
  const received = await receive(7, async (call) => {
    await call("POST", "/pulls", { title: "Faster board", body: "Why.", head: "main", base: "old", draft: true, user });
    await call("POST", `${pull}/labels`, { labels: ["switchyard:go"], user });
    await call("DELETE", `${pull}/labels/switchyard:go`, { user });
    await call("POST", "/pulls/1/requested_reviewers", { reviewers: ["grace-hopper"], user });
    await call("PATCH", "/pulls/1", { state: "closed", user });
    await call("PATCH", "/pulls/1", { state: "open", user });
    await call("POST", "/statuses/main", { state: "success" });
  });
  const pulls = received.filter(({ event }) => event === "pull_request").map(({ payload }) => payload);
  expect(pulls.map(({ action }) => action).sort()).toEqual(
    ["closed", "labeled", "opened", "reopened", "review_requested", "unlabeled"].sort(),
  );
  for (const payload of pulls) {
    const [example] = of("pull_request").filter(({ action }) => action === payload.action);
    // Some examples lack what others have.
    const strange = listStrange(payload, example ?? of("pull_request")[0]).filter((path) => path !== ".label.id");
    expect(strange).toEqual([]);
    expect(payload.sender).toMatchObject({ login: "mia-member", type: "User" });
    expect(payload.pull_request).toMatchObject({ user: { login: "mia-member" }, author_association: "COLLABORATOR" });
  }
  const labeled = pulls.find(({ action }) => action === "labeled");
  expect(labeled).toMatchObject({
    label: { name: "switchyard:go" },
    pull_request: { labels: [{ name: "switchyard:go" }] },
  });
  for (const { event, payload } of received) expect([event, typeof payload.sender?.login]).toEqual([event, "string"]);
});

/** The paths of a payload that an example does not have, or has with another type. */
function listStrange(payload: unknown, example: unknown, path = ""): string[] {
  if (payload === null || example === null) return [];
  if (typeof payload !== typeof example) return [path];
  if (Array.isArray(payload) && Array.isArray(example))
    return example.length ? payload.flatMap((one) => listStrange(one, example[0], `${path}[]`)) : [];
  if (typeof payload !== "object") return [];
  const fields = new Map(Object.entries(example ?? {}));
  return Object.entries(payload ?? {}).flatMap(([name, value]) =>
    listStrange(value, fields.get(name), `${path}.${name}`),
  );
}
