// Pull requests as triggers read them from webhooks, tested with GitHub's own examples.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWebhookReader } from "../../src/code-host/webhook.ts";

/** What the tests use of GitHub's payload. */
interface Payload {
  action: string;
  sender: { id: number; login: string; type: string } | null;
  repository: { id: number; full_name: string };
  label?: { name: string } | null;
  pull_request: {
    number: number;
    html_url: string;
    title: string;
    state: string;
    draft: boolean;
    author_association: string;
    body: string | null;
    user: { login: string };
    labels: { name: string }[];
    head: { ref: string; sha: string; repo: { id: number } | null };
    base: { ref: string };
  };
}

type Changes = Partial<Omit<Payload, "pull_request">> & { pull_request?: Partial<Payload["pull_request"]> };

const file = readFileSync(join(import.meta.dirname, "webhook-examples.json"), "utf8");
const examples: Payload[] = JSON.parse(file).examples.pull_request;

/** An example with who did it, which the fixture leaves out. */
function propose(action: string, changes: Changes = {}): Payload {
  const [payload] = structuredClone(examples.filter((one) => one.action === action));
  if (!payload) throw new Error(`There is no example of ${action}.`);
  const sender = { id: 7, login: "mia-member", type: "User" };
  const head = { ...payload.pull_request.head, repo: { id: payload.repository.id } };
  const pull_request = { ...payload.pull_request, draft: false, head, user: { login: "sam" }, body: null };
  return { ...payload, sender, ...changes, pull_request: { ...pull_request, ...changes.pull_request } };
}

function readProposed(payload: Payload) {
  const reader = createWebhookReader("pull_request");
  reader?.read(new TextEncoder().encode(JSON.stringify(payload)));
  return reader?.endProposed() ?? null;
}

test.each(["opened", "ready_for_review", "labeled"])("a pull request is read for triggers: %s", (action) => {
  const payload = propose(action);
  const { number, html_url: url, title, head, base, labels } = payload.pull_request;
  expect(readProposed(payload)).toEqual({
    type: "proposed",
    repository: { repositoryId: payload.repository.id, repository: payload.repository.full_name },
    pull: {
      ...{ number, url, title, body: "", author: "sam", by: { hostUserId: "7", login: "mia-member" } },
      association: payload.pull_request.author_association,
      label: action === "labeled" ? payload.label?.name : null,
      labels: labels.map(({ name }) => name),
      ...{ isFork: false, branch: head.ref, base: base.ref, sha: head.sha },
    },
  });
});

test.each<[string, string, Changes]>([
  ["by a program", "opened", { sender: { id: 7, login: "app[bot]", type: "Bot" } }],
  ["by nobody", "opened", { sender: null }],
  ["that is a draft", "opened", { pull_request: { draft: true } }],
  ["that is closed", "labeled", { pull_request: { state: "closed" } }],
  ["with a label that is deleted", "labeled", { label: null }],
  ["with another action", "opened", { action: "edited" }],
  ["with new commits", "synchronize", {}],
  ["with a label less", "unlabeled", {}],
])("a pull request %s runs no trigger", (_, action, changes) => {
  expect(readProposed(propose(action, changes))).toBeNull();
});

test.each<[string, Partial<Payload["pull_request"]["head"]>]>([
  ["another repository", { repo: { id: 1 } }],
  ["a deleted one", { repo: null }],
])("a head in %s is a fork's", (_, changes) => {
  const { head } = propose("opened").pull_request;
  const payload = propose("opened", { pull_request: { head: { ...head, ...changes } } });
  expect(readProposed(payload)).toMatchObject({ pull: { isFork: true } });
});
