// The comment that answers on an issue or a pull request, whatever event a trigger is for.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getSessionObject } from "../../../durable-objects/address.ts";
import { handleWebhook } from "../../../durable-objects/code-host/handle-webhook.ts";
import type { Webhook } from "../../../src/code-host/rules/webhook.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { usualTrigger } from "../../support/trigger.ts";
import { createHostComments, type HostComments } from "../support/host-comments.ts";
import {
  addRepositoryWorld,
  answerPermission,
  type RepositoryWorld,
  removePeople,
  run,
} from "../support/repository-world.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let { repositoryId, projectId, permissions, people } = {} as RepositoryWorld;
let comments: HostComments;

beforeEach(async () => {
  ({ repositoryId, projectId, permissions, people } = await addRepositoryWorld());
  comments = createHostComments(projectId);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return (
      comments.answer(url, init) ?? answerPermission(url.pathname, permissions) ?? new Response("{}", { status: 404 })
    );
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await removePeople();
});

async function putTrigger(on: Trigger["on"], changes: Partial<Trigger> = {}): Promise<void> {
  const trigger = { ...usualTrigger, id: projectId, name: "Ideas", on, do: { ...usualTrigger.do, action: "file" } };
  await run(
    "INSERT OR REPLACE INTO triggers (project_id, version, triggers) VALUES (?1, 1, ?2)",
    projectId,
    JSON.stringify([{ ...trigger, ...changes }]),
  );
}

const number = 12;
type Of<Type extends Webhook["type"]> = Extract<Webhook, { type: Type }>;
const opened = { number, title: "Dark mode", body: "Please.", author: "sam-stranger" };
const toHost = () => ({ repository: `acme/${projectId}`, repositoryId });
const toSender = (id: string) => ({ hostUserId: id, login: id });
const label = (by: string, changes: Partial<Of<"labeled">["issue"]> = {}): Webhook => {
  const issue = { ...opened, url: "https://host/issue-12", label: "switchyard", by: toSender(by), ...changes };
  return { type: "labeled", repository: toHost(), issue };
};
const propose = (by: string, changes: Partial<Of<"proposed">["pull"]> = {}): Webhook => {
  const at = { branch: "feature/dark", base: "main", sha: "a".repeat(40), isFork: false, label: null, labels: [] };
  return {
    ...{ type: "proposed", repository: toHost() },
    pull: { ...opened, url: "https://host/pull-12", ...at, by: toSender(by), ...changes },
  };
};
const receive = (webhook: Webhook, delivery: string = crypto.randomUUID()) =>
  handleWebhook(unlimitedEnv, webhook, delivery);

async function list(table: "trigger_answers" | "trigger_runs" | "sessions") {
  return (
    await unlimitedEnv.DB.prepare(`SELECT * FROM ${table} WHERE project_id = ?1 ORDER BY rowid`).bind(projectId).all()
  ).results;
}
const listBodies = () => comments.written.slice(1).map(({ body }) => body);
const toShown = (word: string, sessionId: unknown) =>
  `<!-- switchyard ${projectId} -->\n\n**${word}**: [open the session](${unlimitedEnv.PUBLIC_URL}/s/${sessionId})`;
/** Waits until the service knows the place's comment by this id. */
const isWritten = (commentId: number | null) =>
  expect.poll(async () => (await list("trigger_answers"))[0]?.comment_id).toBe(commentId);

test.each<[string, Trigger["on"], (by: string) => Webhook]>([
  ["a label of an issue", "label", (by) => label(by)],
  ["an assignment", "assigned", (by) => label(by, { label: "", assignee: "switchyard" })],
  ["a label of a pull request", "label", (by) => propose(by, { label: "switchyard" })],
  ["a pull request", "pull_request", (by) => propose(by)],
])("%s gets one comment with its session, however often it is delivered", async (_, on, create) => {
  await putTrigger(on);
  const delivery = crypto.randomUUID();
  for (let times = 0; times < 3; times++) await receive(create(people.mia), delivery);
  await isWritten(2);
  const [session] = await list("sessions");
  expect(listBodies()).toEqual([toShown("Waits in the Backlog", session?.id)]);
});

test.each<[string, Trigger["on"], Partial<Trigger>, () => Webhook]>([
  ["a label, with `none`", "label", { answer: "none" }, () => label(people.mia)],
  ["a pull request, with `none`", "pull_request", { answer: "none" }, () => propose(people.mia)],
  ["a pull request from a fork", "pull_request", {}, () => propose(people.mia, { isFork: true })],
  [
    "a label of a pull request from a fork",
    "label",
    {},
    () => propose(people.mia, { isFork: true, label: "switchyard" }),
  ],
  ["a label by a stranger", "label", {}, () => label("4711")],
  ["a pull request of a stranger", "pull_request", {}, () => propose("4711")],
  [
    "a label beyond the limit of a day",
    "label",
    { caps: { ...usualTrigger.caps, perDay: 0 } },
    () => label(people.mia),
  ],
])("%s gets no comment", async (_, on, changes, create) => {
  await putTrigger(on, changes);
  await receive(create());
  expect(await list("trigger_answers")).toEqual([]);
  expect(listBodies()).toEqual([]);
});

test("a deleted comment stays deleted until somebody asks again there", async () => {
  await putTrigger("label");
  await receive(label(people.mia));
  await isWritten(2);
  comments.written.pop();
  // As it is once the session has changed.
  await run("UPDATE trigger_answers SET edited_at = 0 WHERE project_id = ?1", projectId);
  const [session] = await list("sessions");
  const object = getSessionObject(unlimitedEnv, String(session?.id));
  for (let times = 0; times < 2; times++) {
    await object.handleEvent({ type: "answer" });
    await isWritten(0);
  }
  await receive(label(people.mia));
  await isWritten(2);
  expect(listBodies()).toEqual([toShown("Waits in the Backlog", session?.id)]);
});

test("a cause that has a run does not take the comment from a newer session", async () => {
  await putTrigger("pull_request");
  await receive(propose(people.mia));
  await run("UPDATE sessions SET status = 'archived' WHERE project_id = ?1", projectId);
  await receive(propose(people.mia, { sha: "b".repeat(40) }));
  await receive(propose(people.mia));
  const [older, newer] = await list("sessions");
  expect(older).toMatchObject({ status: "archived" });
  expect(await list("trigger_answers")).toMatchObject([{ session_id: newer?.id }]);
});

test("a Worker that died before its comment was noted writes it with the next delivery", async () => {
  await putTrigger("label");
  const delivery = crypto.randomUUID();
  await receive(label(people.mia), delivery);
  await isWritten(2);
  await run("DELETE FROM trigger_answers WHERE project_id = ?1", projectId);
  await receive(label(people.mia), delivery);
  await isWritten(2);
  expect(listBodies()).toHaveLength(1);
});

/** Who wrote a message of a turn; `trigger` is the one that filed it, because of the issue. */
type Writer = "member" | "trigger" | "another trigger" | "another page";
interface Ended {
  by: Writer[];
  status?: "completed" | "running" | "awaiting_response";
  said: string;
}

/** Adds turns to a session, as it has them after messages of these writers. */
async function addTurns(sessionId: string, turns: Ended[]): Promise<void> {
  const toAuthor = (writer: Writer) =>
    JSON.stringify(
      writer === "member"
        ? { kind: "member" }
        : {
            kind: "trigger",
            triggerId: writer === "another trigger" ? "4711" : projectId,
            url: writer === "another page" ? "https://host/pull-13" : "https://host/issue-12",
          },
    );
  const object = getSessionObject(unlimitedEnv, sessionId);
  await runInDurableObject(object, (_, { storage: { sql } }) => {
    for (const [place, { by, status = "completed", said }] of turns.entries()) {
      const id = `turn-${place}`;
      const [first = "member"] = by;
      sql.exec(
        "INSERT INTO turns (id, number, status, sender, generation, created_at) VALUES (?, ?, ?, ?, 1, 0)",
        ...[id, place + 1, status, toAuthor(first)],
      );
      for (const [at, writer] of by.entries())
        sql.exec(
          "INSERT INTO messages (id, role, turn_id, content, delivery, author, created_at) VALUES (?, 'user', ?, 'Do it.', ?, ?, 0)",
          ...[`${id}-${at}`, id, at === 0 ? "job" : "steer", toAuthor(writer)],
        );
      const asked = {
        type: "clarification",
        clarificationData: { questions: [{ topic: "", question: said, options: [] }] },
      };
      const block = status === "awaiting_response" ? asked : { type: "text", content: said };
      sql.exec(
        "INSERT INTO blocks (turn_id, place, message_seq, block) VALUES (?, 0, 0, ?)",
        id,
        JSON.stringify(block),
      );
    }
  });
}

const started: Ended = { by: ["member"], said: "Did what was filed." };
const asks: Ended = { by: ["trigger"], status: "awaiting_response", said: "Which one?" };
test.each<[string, Ended[], string]>([
  ["nothing before it is started", [], ""],
  ["what a member started", [started], started.said],
  ["no later turn of a member", [started, { by: ["member"], said: "A secret." }], started.said],
  [
    "the newest message of the trigger",
    [started, { by: ["trigger"], said: "Did it again." }, { by: ["member"], said: "A secret." }],
    "Did it again.",
  ],
  ["a message that was steered", [started, { by: ["member", "trigger"], said: "Did both." }], "Did both."],
  ["a question", [started, asks], "Which one?"],
  [
    "the turn after a question",
    [started, asks, { by: ["member"], said: "Took the first." }, { by: ["member"], said: "A secret." }],
    "Took the first.",
  ],
  ["no turn of another trigger", [started, { by: ["another trigger"], said: "Mended." }], started.said],
  ["no turn of another page", [started, { by: ["another page"], said: "Reviewed." }], started.said],
  ["nothing while it runs", [started, { by: ["trigger"], status: "running", said: "Loo" }], ""],
])("with `text`, the comment has %s", async (_, turns, text) => {
  const settings = { setup: [], services: [], env: {} };
  await run("UPDATE projects SET settings = ?2 WHERE id = ?1", projectId, JSON.stringify(settings));
  await putTrigger("label", { answer: "text" });
  await receive(label(people.mia));
  await isWritten(2);
  const [session] = await list("sessions");
  await addTurns(String(session?.id), turns);
  await run("UPDATE trigger_answers SET edited_at = 0 WHERE project_id = ?1", projectId);
  await getSessionObject(unlimitedEnv, String(session?.id)).handleEvent({ type: "answer" });
  await expect.poll(async () => (await list("trigger_answers"))[0]?.edited_at, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(listBodies().map((body) => body.split("\n\n")[2] ?? "")).toEqual([text]);
});

test("a run that sends no message keeps the answer of the comment", async () => {
  await putTrigger("label", { answer: "text" });
  await receive(label(people.mia));
  await isWritten(2);
  const [before] = await list("trigger_answers");
  await receive(label(people.mia, { url: "https://host/issue-12#label" }));
  expect((await list("trigger_runs")).map(({ reason }) => reason)).toEqual([null, "backlog"]);
  expect(await list("trigger_answers")).toMatchObject([{ sender: before?.sender }]);
});
