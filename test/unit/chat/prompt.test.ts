// The text of a message for the agent.
import { expect, test } from "vitest";
import { createTextMessage, type MessageBody, noContext } from "../../../src/chat/rules/message.ts";
import { createTurnPrompt, formatMessage } from "../../../src/chat/rules/prompt.ts";
import { turn } from "../../support/session-state.ts";

const commented = { ...noContext, reviewCommentIds: ["c1"] };
const preview = { frontendName: "web", path: "/board" };

test.each<[string, string, MessageBody["context"], string, string]>([
  ["only its words", "Hi.", noContext, "", "Hi."],
  [
    "what the user looks at",
    "Hi.",
    { ...noContext, preview },
    "",
    'Hi.\n\n(The user is looking at /board in the preview "web".)',
  ],
  ["the open review comments", "Hi.", commented, "Comments: a", "Hi.\n\nComments: a"],
  ["no review comments of others", "Hi.", noContext, "Comments: a", "Hi."],
  ["only comments", "", commented, "Comments: a", "Comments: a"],
  [
    "that its comments are resolved",
    "",
    commented,
    "",
    "(The review comments that came with this message have since been resolved.)",
  ],
])("a message has %s", (_, content, context, feedback, text) =>
  expect(formatMessage({ ...createTextMessage(content), context }, feedback)).toBe(text),
);

test.each([
  ["says nothing of a first turn", null, "Hi."],
  ["says nothing of a completed turn", turn("completed"), "Hi."],
  ["says that a turn was stopped", turn("cancelled"), "[The previous turn was stopped by a member.]\n\nHi."],
  ["says why a turn failed", turn("failed", { error: "It broke." }), "[The previous turn failed: It broke.]\n\nHi."],
])("the prompt %s", (_, previous, text) => expect(createTurnPrompt(createTextMessage("Hi."), "", previous)).toBe(text));
