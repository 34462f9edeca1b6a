// The effect of a lost or frozen sandbox on its Deploy: if it was not live yet, another message
// does not help.
import { expect, test } from "vitest";
import { endTurn } from "../../../src/chat/rules/turn-end.ts";
import { agentSilent, sandboxStopped } from "../../../src/chat/rules/watchdog.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { applyChatDecision } from "../../../src/deploy/rules/turn-end.ts";
import { liveProject, project } from "../../support/deploy-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const silent = `${agentSilent} Send the message again.`;

test.each<[string, ProjectState, string, string]>([
  ["a Deploy whose sandbox is lost", project("running_agent"), sandboxStopped, "Start the Deploy again."],
  ["a Deploy whose agent is silent", project("running_agent"), silent, `${agentSilent} Start the Deploy again.`],
  ["an update whose sandbox is lost", liveProject("updating"), sandboxStopped, sandboxStopped],
  ["an update whose agent is silent", liveProject("updating"), silent, silent],
])("%s says what to do", (_, state, error, told) => {
  const ended = endTurn(
    state.chat,
    { turnId: state.chat.turn?.id ?? "", end: { status: "failed", error, errorCode: null } },
    now,
  );
  const { deploy } = accepted(applyChatDecision(state, ended, { nextTurnId: "turn-9" }, now)).state;
  expect([deploy?.status, deploy?.error]).toEqual(["failed", expect.stringContaining(told)]);
});
