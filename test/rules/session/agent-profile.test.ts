import { expect, it } from "vitest";
import { sessionAgentProfile } from "../../../src/rules/session/agent-profile.ts";
import { sessionState } from "../../support/session-state.ts";

const { session } = sessionState();

it("the agent of a session works as a member would, with the tools of every turn and those of this one", () => {
  expect(sessionAgentProfile(session, ["ship"])).toMatchObject({
    tools: ["plan", "ask", "file_session", "artifact", "ship"],
    writes: true,
    git: "push",
    skills: ["factory", "project"],
  });
});

it("it is told of its session, its branch and where that is to be merged", () => {
  const { instructions } = sessionAgentProfile({ ...session, branch: "svc/a", targetBranch: "next" }, []);
  expect(instructions).toContain(`in the chat session "${session.title}", on the branch svc/a`);
  expect(instructions).toContain("merged into next");
  expect(instructions).toContain(`chat-sessions/${session.id}/artifacts`);
});
