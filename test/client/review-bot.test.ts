// The example that reviews pull requests, against a running service, branches of the practice code
// host, and a double of what that lacks.
import { createHmac } from "node:crypto";
import { type Session, Switchyard } from "@switchyard/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimFreePort } from "../../practice/free-port.ts";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { closedGate, type Gate } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { type CommentsHost, startCommentsHost } from "./support/comments-host.ts";
import { type RunningWorker, startWorker } from "./support/worker-example.ts";

const webhooks = "/api/organizations/{workspaceId}/webhooks";
const secret = "a secret of the code host";
const branch = "review-bot";
const number = 7;
let sy: Switchyard;
let host: CommentsHost;
let gate: Gate;
let bot: RunningWorker;
let collaborator: ReturnType<typeof createCollaborator>;
let webhookId: string;

beforeAll(async () => {
  await openApiWorld();
  const { baseUrl, users, workspaceId, projectId } = apiWorld();
  sy = new Switchyard({ baseUrl, apiKey: users.owner.apiKey });
  collaborator = createCollaborator(apiWorld());
  host = await startCommentsHost(collaborator.repository, number, "ghp_review");
  gate = await closedGate();
  const port = await claimFreePort();
  const made = await sy.request(`POST ${webhooks}`, {
    path: { workspaceId },
    body: { url: `http://127.0.0.1:${port}/switchyard`, events: ["job.*"] },
  });
  webhookId = made.webhook.id;
  const settings = {
    ...{ SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: users.owner.apiKey, SWITCHYARD_PROJECT: projectId },
    ...{ SWITCHYARD_WEBHOOK_SECRET: made.secret, GITHUB_WEBHOOK_SECRET: secret },
    ...{ GITHUB_API_URL: host.url, GITHUB_TOKEN: "ghp_review" },
    TASK: script({ bash: gate.command }, { say: "Compared with BASE, it is sound." }),
  };
  bot = await startWorker("review-bot/worker.mjs", settings, port);
});

afterAll(async () => {
  const { workspaceId } = apiWorld();
  await sy.request(`DELETE ${webhooks}/{webhookId}`, { path: { workspaceId, webhookId } });
  await bot.stop();
  host.close();
});

/** Sends an event about the pull request as the code host does. */
async function announce(
  action: string,
  sha: string,
  { from = collaborator.repository, draft = false, signedWith = secret } = {},
) {
  const head = { ref: branch, sha, repo: { full_name: from } };
  const base = { ref: "main", repo: { full_name: collaborator.repository } };
  const body = JSON.stringify({ action, number, pull_request: { number, draft, head, base } });
  const signature = `sha256=${createHmac("sha256", signedWith).update(body).digest("hex")}`;
  const headers = { "x-github-event": "pull_request", "x-hub-signature-256": signature };
  return (await fetch(`${bot.url}/github`, { method: "POST", headers, body })).status;
}

async function push(text: string): Promise<string> {
  const from = text === "One." ? "main" : branch;
  await collaborator.commit(branch, { "notes.txt": text }, from);
  return (await collaborator.atHost("rev-parse", branch)).trim();
}

async function listReviews(): Promise<Session[]> {
  const found: Session[] = [];
  const metadata = [`pull:${collaborator.repository}#${number}`];
  for await (const session of sy.sessions.list({ metadata })) found.push(session);
  for (const { id, projectId } of found) createdSessions.set(id, projectId);
  return found;
}

const listComments = () => [...host.comments.values()];
const untilSaid = (text: string, sha: string) =>
  until(`a comment with “${text}”`, () => {
    const last = listComments().at(-1)?.at(-1);
    return last?.startsWith(text) && last.endsWith(sha);
  });

test("a pull request is reviewed once for each commit, in one comment", async () => {
  const first = await push("One.");
  expect(await announce("opened", first)).toBe(200);
  expect(await announce("opened", first)).toBe(200);
  const [review, ...others] = await listReviews();
  expect(others).toEqual([]);
  expect(review?.data).toMatchObject({ targetBranch: branch, spendLimitUsd: 2, status: "active" });
  expect(listComments()).toEqual([[expect.stringMatching(/^The review is running\.\n\n\[Review\]\(http/)]]);

  // A commit during the review ends it: nobody needs its result.
  const second = await push("Two.");
  expect(await announce("synchronize", second)).toBe(200);
  expect((await review?.refresh())?.data.status).toBe("archived");
  gate.open();
  await untilSaid("Compared with main, it is sound.", second);
  const sessions = await listReviews();
  expect(sessions.map(({ data }) => [data.metadata.sha, data.status])).toEqual([
    [second, "active"],
    [first, "archived"],
  ]);
  expect(listComments().length).toBe(1);

  // Somebody deletes the comment. The next review writes another one.
  host.comments.clear();
  const third = await push("Three.");
  expect(await announce("synchronize", third)).toBe(200);
  await untilSaid("Compared with main, it is sound.", third);
  expect(listComments().length).toBe(1);
  expect(await announce("closed", third)).toBe(200);
  expect((await listReviews()).map(({ data }) => data.status)).toEqual(["archived", "archived", "archived"]);
});

test("what is not signed, a draft and a fork start no review", async () => {
  const before = (await listReviews()).length;
  const sha = "f".repeat(40);
  expect(await announce("opened", sha, { signedWith: "another" })).toBe(401);
  expect((await fetch(`${bot.url}/github`, { method: "POST", body: "{}" })).status).toBe(401);
  expect((await fetch(`${bot.url}/elsewhere`, { method: "POST", body: "{}" })).status).toBe(401);
  const now = String(Math.floor(Date.now() / 1_000));
  const headers = { "webhook-id": "one", "webhook-timestamp": now, "webhook-signature": "v1,AAAA" };
  expect((await fetch(`${bot.url}/switchyard`, { method: "POST", headers, body: "{}" })).status).toBe(401);
  expect(await announce("opened", sha, { draft: true })).toBe(200);
  expect(await announce("opened", sha, { from: "stranger/demo-app" })).toBe(200);
  expect((await listReviews()).length).toBe(before);
});
