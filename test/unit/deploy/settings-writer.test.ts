// Whose messages permit the deploy agent to write settings: each way into a turn, each kind of
// sender, and the turns before it.
import { expect, test } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { type QueuedEdit, updateQueuedMessage } from "../../../src/chat/rules/queue.ts";
import { recordSteerTaken, steer } from "../../../src/chat/rules/steer.ts";
import { startAgentTurn } from "../../../src/deploy/rules/agent-turn.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { resumeDeployQueue } from "../../../src/deploy/rules/queue.ts";
import { sendToDeploy } from "../../../src/deploy/rules/send.ts";
import { checkSettingsWriter, type GivenMessage } from "../../../src/deploy/rules/settings-writer.ts";
import { startDeploy } from "../../../src/deploy/rules/start.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { liveProject, project } from "../../support/deploy-state.ts";
import {
  accepted,
  byAuthor,
  byMember,
  cron,
  member,
  now,
  otherSession,
  relay,
  turn,
  waiting,
} from "../../support/session-state.ts";

const ada = byMember();
const lead: Sender = { ...ada, type: "lead" };
const senders: [string, Sender, isPerson: boolean][] = [
  ["a member", ada, true],
  ["the Lead of a member", lead, false],
  ["the agent of a turn that its member sent", byAuthor(otherSession, "usr_ada"), false],
  ["the agent of another's turn", byAuthor(otherSession), false],
  ["a cron run of a member", byAuthor(cron, "usr_ada"), false],
  ["a cron run of nobody", byAuthor(cron), false],
  ["a relay", byAuthor(relay), false],
];

const facts = {
  ...{ isBlockedOnBilling: false, workspaceSpend: noSpend, model: "anthropic:opus__xhigh", canResume: true },
  seenWasStopped: false,
  questions: [],
};
const message = (by: Sender) => ({
  messageId: "m",
  turnId: "turn-2",
  body: createTextMessage("Do it."),
  answers: [],
  by,
});
const delivered = (state: ProjectState, by: Sender) => accepted(sendToDeploy(state, message(by), facts, now)).state;
const agentsTurn = (state: ProjectState) => startAgentTurn(state, { turnId: "turn-2" }, now).state.chat.newMessages;

/** What the turn records of a message, by each way into it. */
const ways: Record<string, (by: Sender) => readonly GivenMessage[]> = {
  "an answer to a clarification": (by) => delivered(project("awaiting_user"), by).chat.newMessages,
  "an update of a live project": (by) => delivered(liveProject("deployed"), by).chat.newMessages,
  "an instruction while the sandbox is built": (by) => agentsTurn(delivered(project("creating_sandbox"), by)),
  "an instruction behind another one": (by) => agentsTurn(delivered(delivered(project("creating_sandbox"), ada), by)),
  "a fresh Deploy with a text": (by) => {
    const opening = { ...createTextMessage("Do it."), id: "m" };
    const command = { deployId: "deploy-2", sandboxKey: "m-2", by, opening };
    return agentsTurn(accepted(startDeploy(project(null), command, facts, now)).state);
  },
  "a queued message": (by) => {
    const { state } = accepted(sendToDeploy(liveProject("updating"), message(by), facts, now));
    const { deploy } = liveProject("deployed");
    const idle = { ...state, deploy, chat: { ...state.chat, turn: null } };
    return accepted(resumeDeployQueue(idle, { turnId: "turn-2" }, facts, now)).state.chat.newMessages;
  },
};

const rows = Object.entries(ways).flatMap(([way, told]) =>
  senders.map(([who, by, isPerson]) => [way, who, isPerson, told, by] as const),
);
test.each(rows)("%s by %s: written %s", (_way, _who, isPerson, told, by) => {
  const said = told(by);
  expect(said.length).toBeGreaterThan(0);
  const refusal = checkSettingsWriter({ said, earlier: [] });
  expect(isPerson ? refusal : refusal?.message).toEqual(
    isPerson ? null : expect.stringMatching(/an agent wrote.*Ask a member/),
  );
});

const untouched = { messageId: "a", version: null, content: null, retained: null, added: [], editing: null };
const file = { id: "f", name: "f.md", mediaType: "text/markdown", byteSize: 1 };
test.each<[string, Partial<QueuedEdit>, isPerson: boolean]>([
  ["a text by its author", { content: "new" }, true],
  ["a text by the author's agent", { content: "new", by: byAuthor(otherSession, "usr_ada") }, false],
  ["a text by the author's Lead", { content: "new", by: lead }, false],
  ["a file by its author", { added: [file] }, true],
  ["a file by the author's agent", { added: [file], by: byAuthor(otherSession, "usr_ada") }, false],
  ["no change by the author's agent", { editing: true, by: byAuthor(otherSession, "usr_ada") }, true],
])("a queued message of a member after an edit: %s", (_, edit, isPerson) => {
  const chat = { ...project("deployed").chat, upNext: waiting("a") };
  const { state } = accepted(updateQueuedMessage(chat, { ...untouched, by: ada, ...edit }, { hasLeft: false }, now));
  expect(checkSettingsWriter({ said: state.upNext, earlier: [] }) === null).toBe(isPerson);
});

test("a file that a member adds to the text of an agent leaves the text the agent's; a new text makes it the member's", () => {
  const [queued] = waiting("a");
  const upNext = queued ? [{ ...queued, context: { ...queued.context, writer: "agent-for-member" as const } }] : [];
  const edited = (edit: Partial<QueuedEdit>) =>
    accepted(
      updateQueuedMessage(
        { ...project("deployed").chat, upNext },
        { ...untouched, by: ada, ...edit },
        { hasLeft: false },
        now,
      ),
    ).state.upNext;
  const written = [edited({ added: [file] }), edited({ content: "Mine." })].map(
    (said) => checkSettingsWriter({ said, earlier: [] }) === null,
  );
  expect(written).toEqual([false, true]);
});

const said = (by: Sender, createdAt: number, writtenAt?: number): GivenMessage => {
  const [first] = delivered(project("awaiting_user"), by).chat.newMessages;
  if (first === undefined) throw new Error("nothing was said");
  return { ...first, createdAt, context: { ...first.context, ...(writtenAt !== undefined && { writtenAt }) } };
};
const agent = byAuthor(otherSession, "usr_ada");
test.each<[string, GivenMessage[], GivenMessage[], isWritten: boolean]>([
  ["no word at all, as in a Recovery Deploy", [], [], true],
  ["no word after an agent's", [], [said(agent, now)], false],
  ["no word after a member's", [], [said(ada, now)], true],
  ["a member after an agent", [said(ada, now + 1)], [said(agent, now)], true],
  ["a member in the same moment as an agent", [said(ada, now)], [said(agent, now)], true],
  ["a member who wrote before the agent, and waited", [said(ada, now + 9, now - 1)], [said(agent, now)], false],
  [
    "the same behind a message of a member",
    [said(ada, now + 9, now - 1)],
    [said(ada, now + 3), said(agent, now)],
    false,
  ],
  [
    "two of a member, the newer after the agent",
    [said(ada, now + 9, now - 1), said(ada, now + 5)],
    [said(agent, now)],
    true,
  ],
  ["an agent after members", [said(agent, now + 1)], [said(ada, now)], false],
  ["a member with an agent", [said(ada, now + 1), said(agent, now + 2)], [], false],
])("recorded %s", (_, told, earlier, isWritten) => {
  expect(checkSettingsWriter({ said: told, earlier }) === null).toBe(isWritten);
});

test("a steer that is taken keeps the time of its writing", () => {
  const [queued] = waiting("a").map((one) => ({ ...one, createdAt: now - 5, author: member() }));
  const chat = { ...project("deployed").chat, turn: turn("running"), upNext: queued ? [queued] : [] };
  const handed = accepted(steer(chat, { messageId: "a", steerId: "s", by: agent, intoAny: true }, { hasLeft: false }));
  const taken = accepted(recordSteerTaken(handed.state, { turnId: "turn-1", steerId: "s" }, now)).state.newMessages;
  expect(isRefusal(checkSettingsWriter({ said: taken, earlier: [said(agent, now - 1)] }))).toBe(true);
});
