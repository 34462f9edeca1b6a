// The promotion of a Deploy: the switch to its sandbox, the end of the previous one, and the
// messages that arrived meanwhile.
import { expect, test } from "vitest";
import { type PhaseOutcome, recordPhaseDone } from "../../../src/deploy/rules/phase.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { endLeaving } from "../../../src/deploy/rules/promotion.ts";
import { deploy, instruction, project } from "../../support/deploy-state.ts";
import { accepted, now, waiting } from "../../support/session-state.ts";

const draft = { base: { setup: [], services: [], env: {} }, settings: { setup: ["a"], services: [], env: {} } };
const done: PhaseOutcome = { type: "done", model: "anthropic:opus__xhigh" };
const promoting = (changes: Partial<ProjectState>) => project("promoting", { liveSandboxKey: "m-live", ...changes });

function after(state: ProjectState, outcome: PhaseOutcome) {
  const phaseId = state.deploy?.phaseId ?? "";
  return accepted(recordPhaseDone(state, { phaseId, outcome, nextTurnId: "turn-9" }, now));
}

test("a promotion makes the sandbox the live one, and the previous one is deleted a minute later", () => {
  const checked = after(promoting({ draft }), { type: "checked" }).state;
  expect([checked.deploy?.isSwitching, checked.liveSandboxKey]).toEqual([true, "m-live"]);
  const { state, effects } = after(checked, done);
  expect([state.liveSandboxKey, state.deploy?.isPromoted, state.draft, state.deploy?.status]).toEqual([
    "m-new",
    true,
    null,
    "warming_pool",
  ]);
  expect(state.leaving).toEqual([{ sandboxKey: "m-live", at: now + 60_000 }]);
  expect(effects).toContainEqual({ type: "remind", name: "end-sandboxes", at: now + 60_000 });
  const left = accepted(endLeaving(state, now + 60_000));
  expect([left.state.leaving, left.effects]).toEqual([[], [{ type: "destroy-sandbox", id: "m-live" }]]);
});

test("messages that arrive during warming and promoting start a turn right after the promotion", () => {
  const switching = promoting({
    deploy: deploy("promoting", { isSwitching: true, hasAgentRun: true }),
    instructions: [instruction("late")],
  });
  const { state } = after(switching, done);
  expect([state.deploy?.status, state.chat.turn?.status, state.liveSandboxKey]).toEqual([
    "updating",
    "pending",
    "m-new",
  ]);
});

test("a message that was resumed while the sandbox was built is sent right after the promotion", () => {
  const switching = promoting({ deploy: deploy("promoting", { isSwitching: true, hasAgentRun: true }) });
  const waits = { ...switching, chat: { ...switching.chat, upNext: waiting("later") } };
  const { state } = after(waits, done);
  expect([state.deploy?.status, state.chat.turn?.status, state.chat.upNext]).toEqual(["updating", "pending", []]);
  const paused = { ...waits, chat: { ...waits.chat, pause: { reason: "cancelled" as const, pausedAt: now } } };
  expect(after(paused, done).state.deploy?.status).toBe("warming_pool");
});
