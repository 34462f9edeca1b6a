// Whose messages call a built-in skill (decisions, "Skills and people"), by every way of a text
// into a turn.
import { describe, expect, it } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { updateQueuedMessage } from "../../../src/chat/rules/queue.ts";
import { steer } from "../../../src/chat/rules/steer.ts";
import { send } from "../../../src/session/rules/send.ts";
import type { NewSession } from "../../../src/session/rules/session.ts";
import { activate, startSession } from "../../../src/session/rules/start.ts";
import { updateSession } from "../../../src/session/rules/update.ts";
import { findCalledBuiltInSkill, findCalledSkill, findUncountedCallNote } from "../../../src/skill/rules/skill-call.ts";
import {
  accepted,
  byAuthor,
  byMember,
  chatState,
  cron,
  member,
  now,
  otherSession,
  refusalCode,
  relay,
  said,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const ada = byMember("usr_ada");
const lead: Sender = { ...ada, type: "lead" };
const everyone: [who: string, by: Sender, ships: boolean, opensAndSyncs: boolean][] = [
  ["a person", ada, true, true],
  ["the Lead", lead, false, true],
  ["an agent over MCP", { ...ada, type: "client-agent", client: null }, false, true],
  ["a relay", byAuthor(relay), false, true],
  ["an agent for a member", byAuthor(otherSession, "usr_ada"), false, true],
  ["an agent for nobody", byAuthor(otherSession), false, false],
  ["a cron run for its creator", byAuthor(cron, "usr_ada"), false, true],
  ["a cron run whose creator left", byAuthor(cron), false, false],
];
const agent = byAuthor(otherSession, "usr_ada");
const model = "anthropic:opus__high";
const text = (content: string) => ({ content, attachments: [], context: { preview: null, reviewCommentIds: [] } });

describe.each(everyone)("a message of %s", (_, by, ships, opensAndSyncs) => {
  const skills = [
    ["svc:ship", ships],
    ["svc:open-pr", opensAndSyncs],
    ["svc:sync-branch", opensAndSyncs],
  ] as const;
  const called = (message: Parameters<typeof findCalledBuiltInSkill>[0] | undefined) =>
    message && findCalledBuiltInSkill(message, model)?.name;

  it.each(skills)("that starts a turn and calls %s: %s", (name, counts) => {
    const sent = accepted(send(sessionState(), sendCommand({ by, body: text(`/${name}`) }), sendFacts(), now));
    expect(called(sent.state.chat.newMessages[0]) === name).toBe(counts);
  });

  it.each(skills)("that is queued and calls %s: %s", (name, counts) => {
    const state = sessionState({ turn: turn("running") });
    const sent = accepted(send(state, sendCommand({ by, body: text(`/${name}`) }), sendFacts(), now));
    expect(called(sent.state.chat.upNext[0]) === name).toBe(counts);
  });

  it.each(skills)("that creates a session and calls %s: %s", (name, counts) => {
    const wish: NewSession = {
      ...{ id: "session-1", workspaceId: "ws_1", projectId: "project-1", title: "T", prompt: null, status: "active" },
      ...{ priority: "none", model, targetBranch: "main", sandboxKey: "s0123456789abcdef" },
      ...{ conversationId: "conversation-1", assignee: null },
    };
    const first = { command: sendCommand({ by, body: text(`/${name}`) }), facts: sendFacts() };
    const begun = accepted(startSession(wish, { by, first }, now));
    expect(called(begun.state.chat.newMessages[0]) === name).toBe(counts);
  });

  it.each(skills)("that was saved as a prompt, and that a person activates, calls %s: %s", (name, counts) => {
    const filed = sessionState({ session: { status: "backlog", branch: null } });
    const facts = { ...sendFacts(), by, pullRequest: null };
    const { state } = accepted(updateSession(filed, { prompt: `/${name}` }, facts, now));
    const started = accepted(activate(state, sendCommand({ by: ada }), sendFacts(), now));
    expect(called(started.state.chat.newMessages[0]) === name).toBe(counts);
  });

  it("that a person saved as a prompt calls only what its activator may call", () => {
    const filed = sessionState({ session: { status: "backlog", branch: null, prompt: "/svc:ship" } });
    const started = accepted(activate(filed, sendCommand({ by }), sendFacts(), now));
    expect(called(started.state.chat.newMessages[0]) === "svc:ship").toBe(ships);
  });
});

describe("a queued message", () => {
  const chat = chatState({ turn: turn("running"), upNext: waiting("a") });
  const edit = (by: Sender, content: string, state = chat) => {
    const change = { messageId: "a", by, version: null, content, retained: null, added: [], editing: null };
    return accepted(updateQueuedMessage(state, change, { hasLeft: false }, now)).state;
  };

  it("belongs to an agent after the agent has edited it, even if its author is a member", () => {
    const rewritten = edit(agent, "/svc:ship");
    expect(findCalledBuiltInSkill(rewritten.upNext[0] ?? said(""), model)).toBeNull();
    expect(rewritten.upNext[0]?.author).toEqual(member());
    expect(findCalledBuiltInSkill(edit(ada, "/svc:ship", rewritten).upNext[0] ?? said(""), model)?.name).toBe(
      "svc:ship",
    );
  });

  it("is steered as ordinary text if it calls no skill", () => {
    const steered = (state: typeof chat) =>
      refusalCode(steer(state, { messageId: "a", steerId: "s", by: ada }, { hasLeft: false }));
    expect(steered(edit(ada, "/svc:ship"))).toBe("STEER_UNAVAILABLE");
    expect(steered(edit(agent, "/svc:ship"))).toBeNull();
  });
});

it("a message without a writer of its own is its author's, and an agent's acts for nobody", () => {
  expect(findCalledBuiltInSkill(said("/svc:ship"), model)?.name).toBe("svc:ship");
  expect(findCalledBuiltInSkill(said("/svc:open-pr", relay), model)?.name).toBe("svc:open-pr");
  expect(findCalledBuiltInSkill(said("/svc:open-pr", otherSession), model)).toBeNull();
});

it("a project's own skill can be called by any sender", () => {
  expect(findCalledSkill(said("/release-notes May", otherSession), model)).toEqual({
    name: "release-notes",
    argument: "May",
  });
  expect(findCalledSkill(said("/svc:ship", otherSession), model)).toBeNull();
});

it.each([
  ["/svc:ship", relay, "svc:ship, which did not run: it works only in messages from a person."],
  ["/svc:open-pr", otherSession, "from a person, or from a chat-tool relay, or from an agent that acts as a member."],
])(
  "the agent that gets %j of a sender without permission gets the reason why it did not run",
  (content, author, why) => {
    expect(findUncountedCallNote(said(content, author), model)).toContain(why);
    expect(findUncountedCallNote(said(content), model)).toBeNull();
    expect(findUncountedCallNote(said(`Say ${content}`, author), model)).toBeNull();
  },
);
