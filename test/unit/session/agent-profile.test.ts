import { expect, it } from "vitest";
import { type ReplyStyle, replyStyles } from "../../../src/account/rules/profile.ts";
import { createSessionAgentProfile } from "../../../src/session/rules/agent-profile.ts";
import { sessionState } from "../../support/session-state.ts";

const { session } = sessionState();

it("the agent of a session has a member's permissions, with the tools of every turn and those of this one", () => {
  expect(createSessionAgentProfile(session, ["ship"])).toMatchObject({
    tools: ["plan", "ask", "file_session", "artifact", "ship"],
    writes: true,
    git: "push",
    skills: ["factory", "project"],
  });
});

it("its instructions name the session, its branch and the Target Branch", () => {
  const { instructions } = createSessionAgentProfile({ ...session, branch: "svc/a", targetBranch: "next" }, []);
  expect(instructions).toContain(`in the chat session "${session.title}", on the branch svc/a`);
  expect(instructions).toContain("merged into next");
  expect(instructions).toContain(`chat-sessions/${session.id}/artifacts`);
});

it("its replies have the style that its reader wants", () => {
  const getInstructions = (style?: ReplyStyle) => createSessionAgentProfile(session, [], style).instructions;
  expect(getInstructions("standard")).toBe(getInstructions());
  expect(getInstructions("simplified")).toContain("everyday words");
  expect(getInstructions("not_tech")).toContain("does not program");
  expect(new Set(replyStyles.map(getInstructions)).size).toBe(3);
});
