// The course of a Deploy: its start, its phases with their deadlines, the end of its agent's turns,
// and its stop.
import { expect, test } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { endTurn, type TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { isHoldingSessions } from "../../../src/deploy/rules/held-sessions.ts";
import { type PhaseOutcome, recordPhaseDone, recordPhaseOverdue } from "../../../src/deploy/rules/phase.ts";
import { type ProjectState, withPublication } from "../../../src/deploy/rules/project-state.ts";
import { type StartCommand, startDeploy } from "../../../src/deploy/rules/start.ts";
import { type DeployStatus, deployStatuses, getShownStatus } from "../../../src/deploy/rules/status.ts";
import { stopDeploy } from "../../../src/deploy/rules/stop.ts";
import { applyChatDecision } from "../../../src/deploy/rules/turn-end.ts";
import { decided } from "../../../src/rules/decision.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { deploy, instruction, liveProject, project } from "../../support/deploy-state.ts";
import { accepted, byMember, now, refusalCode, waiting } from "../../support/session-state.ts";

const draft = { base: { setup: [], services: [], env: {} }, settings: { setup: ["a"], services: [], env: {} } };
const redeploy = (status: DeployStatus, changes: Partial<ProjectState> = {}) =>
  project(status, { liveSandboxKey: "m-live", ...changes });

function start(state: ProjectState, changes: Partial<StartCommand> = {}) {
  const command = { deployId: "deploy-2", sandboxKey: "m-2", by: byMember(), opening: null, ...changes };
  return startDeploy(state, command, { isBlockedOnBilling: false, workspaceSpend: noSpend }, now);
}

test.each(deployStatuses)("a start replaces a Deploy that is %s, and returns its own id", (status) => {
  const before = status === "updating" ? liveProject("updating") : project(status);
  const { state, result, effects } = accepted(start({ ...before, draft }));
  expect(result).toEqual({ status: "creating_sandbox", deployId: "deploy-2" });
  expect([state.deploy?.number, state.deploy?.status, state.draft, state.chat.pause]).toEqual([
    2,
    "creating_sandbox",
    null,
    null,
  ]);
  const isOver = ["warming_pool", "deployed", "failed"].includes(status);
  expect(state.replacedDeploy?.status).toBe(isOver ? (status === "failed" ? status : "deployed") : "cancelled");
  expect(effects).toContainEqual(expect.objectContaining({ type: "remind", name: "phase-overdue" }));
  expect(effects).toContainEqual(expect.objectContaining({ type: "work-on-phase", id: state.deploy?.phaseId }));
  if (before.chat.turn) expect(effects).toContainEqual({ type: "stop-turn", id: before.chat.turn.id });
  const dropped = effects.filter(({ type }) => type === "destroy-sandbox");
  // The sandbox of a Deploy that was not promoted ends; the live one stays.
  expect(dropped).toEqual(before.liveSandboxKey === null ? [{ type: "destroy-sandbox", id: "m-new" }] : []);
});

test("messages for the agent are handled in the newer Deploy, before its first message", () => {
  const before = project("creating_sandbox", { instructions: [instruction("first")] });
  const opening = { ...createTextMessage("Fresh."), id: "opening" };
  const { state } = accepted(start(before, { opening }));
  expect(state.instructions.map(({ id }) => id)).toEqual(["first", "opening"]);
});

test("a start is refused while a stop settles", () => {
  const { state } = accepted(stopDeploy(project("running_agent"), now));
  expect(refusalCode(start(state))).toBe("DEPLOY_ACTIVE");
});

const done: PhaseOutcome = { type: "done", model: "anthropic:opus__xhigh" };
const failed: PhaseOutcome = { type: "failed", error: "It broke." };

function after(state: ProjectState, outcome: PhaseOutcome) {
  const phaseId = state.deploy?.phaseId ?? "";
  return accepted(recordPhaseDone(state, { phaseId, outcome, nextTurnId: "turn-9" }, now));
}

test.each<[string, ProjectState, PhaseOutcome, DeployStatus]>([
  ["the sandbox is there", project("creating_sandbox"), done, "starting_services"],
  ["the sandbox cannot be had", project("creating_sandbox"), failed, "failed"],
  ["setup failed", project("creating_sandbox"), { ...done, problems: ["npm ci failed"] }, "starting_services"],
  ["the services answer", project("starting_services"), done, "running_agent"],
  ["a service is silent", project("starting_services"), { ...done, problems: ["web is silent"] }, "running_agent"],
  ["the pages are warm", project("warming"), done, "promoting"],
  ["all was found well", project("promoting"), { type: "checked" }, "promoting"],
  ["a service does not answer", project("promoting"), failed, "failed"],
  ["the pool is warm", liveProject("warming_pool"), done, "deployed"],
  [
    "an update's settings are in force",
    {
      ...liveProject("updating"),
      deploy: deploy("updating", { isPromoted: true, isUpdate: true, phaseDueAt: now + 1 }),
    },
    done,
    "deployed",
  ],
])("%s", (_, state, outcome, status) => {
  const { state: next, effects } = after(state, outcome);
  expect(next.deploy?.status).toBe(status);
  const isOver = status === "failed" || status === "deployed";
  expect(next.deploy?.completedAt).toBe(isOver ? now : null);
  expect(effects).toContainEqual({ type: "index-project" });
});

test("an outcome of an earlier phase changes nothing", () => {
  const state = project("warming");
  const decision = recordPhaseDone(
    state,
    { phaseId: "deploy-1:creating_sandbox", outcome: failed, nextTurnId: "turn-9" },
    now,
  );
  expect(accepted(decision)).toMatchObject({ state, result: { isCurrent: false }, effects: [] });
});

test("messages that arrive while the sandbox is built start the agent's first turn, in their order", () => {
  const state = project("starting_services", { instructions: [instruction("one"), instruction("two")] });
  const { chat, instructions, turnDeployId } = after(state, done).state;
  expect([chat.turn?.id, chat.turn?.status, instructions, turnDeployId]).toEqual(["turn-9", "pending", [], "deploy-1"]);
  expect(chat.newMessages.map(({ id, delivery }) => [id, delivery])).toEqual([
    ["one", "job"],
    ["two", "steer"],
  ]);
});

test("a Recovery Deploy needs its agent only where something went wrong", () => {
  const recovery = project("starting_services", { deploy: deploy("starting_services", { trigger: "system" }) });
  expect(after(recovery, done).state.deploy?.status).toBe("warming");
  expect(after(recovery, { ...done, problems: ["web is silent"] }).state.deploy?.status).toBe("running_agent");
});

test.each<[string, ProjectState, DeployStatus]>([
  ["creating_sandbox", project("creating_sandbox"), "failed"],
  ["starting_services", project("starting_services"), "running_agent"],
  ["warming", project("warming"), "promoting"],
  ["promoting", project("promoting"), "failed"],
  [
    "a promotion that is being written",
    project("promoting", { deploy: deploy("promoting", { isSwitching: true }) }),
    "promoting",
  ],
  [
    "an update whose settings are not in force",
    {
      ...liveProject("updating"),
      deploy: deploy("updating", { isPromoted: true, isUpdate: true, phaseDueAt: now + 1 }),
      draft,
    },
    "failed",
  ],
  ["warming_pool", liveProject("warming_pool"), "deployed"],
])("when the time of %s is over", (_, state, status) => {
  const dueAt = state.deploy?.phaseDueAt ?? 0;
  const early = accepted(recordPhaseOverdue(state, { nextTurnId: "turn-9", model: "anthropic:opus__low" }, dueAt - 1));
  expect(early.state).toBe(state);
  const { deploy: next } = accepted(
    recordPhaseOverdue(state, { nextTurnId: "turn-9", model: "anthropic:opus__low" }, dueAt),
  ).state;
  expect(next?.status).toBe(status);
  expect(next?.error === null).toBe(status !== "failed");
});

test("a Deploy that fails while it builds puts its waiting messages at the front of the queue, paused", () => {
  const state = project("creating_sandbox", { instructions: [instruction("one")] });
  const { chat, instructions } = after(state, failed).state;
  expect([chat.upNext.map(({ id }) => id), chat.pause?.reason, instructions]).toEqual([["one"], "failed", []]);
});

function turnEnds(state: ProjectState, end: TurnEnd) {
  const turnId = state.chat.turn?.id ?? "";
  return accepted(applyChatDecision(state, endTurn(state.chat, { turnId, end }, now), { nextTurnId: "turn-9" }, now));
}

const completed: TurnEnd = { status: "completed" };
const broke: TurnEnd = { status: "failed", error: "It broke.", errorCode: null };

test.each<[string, ProjectState, TurnEnd, DeployStatus, string | null]>([
  ["a turn that is done", project("running_agent"), completed, "warming", null],
  ["a turn that asks", project("running_agent"), { status: "awaiting_response" }, "awaiting_user", null],
  ["a turn that fails", project("running_agent"), broke, "failed", "It broke."],
  ["an update's turn that is done", liveProject("updating"), completed, "updating", null],
  ["an update's turn that asks", liveProject("updating"), { status: "awaiting_response" }, "awaiting_user", null],
  ["an update's turn that fails", liveProject("updating"), broke, "failed", "It broke."],
])("after %s", (_, state, end, status, error) => {
  const { deploy: next } = turnEnds(state, end).state;
  expect([next?.status, next?.error]).toEqual([status, error]);
});

test("the queue is drained before the Deploy continues", () => {
  const state = project("running_agent");
  const { state: next } = turnEnds({ ...state, chat: { ...state.chat, upNext: waiting("later") } }, completed);
  expect([next.deploy?.status, next.chat.turn?.id, next.chat.upNext]).toEqual(["running_agent", "turn-9", []]);
});

test("the end of a replaced Deploy's turn lets the newer one's agent start", () => {
  const { state } = accepted(start(project("running_agent")));
  const waits = { ...state, deploy: deploy("running_agent", { id: "deploy-2" }) };
  const { state: next } = turnEnds(waits, { status: "cancelled" });
  expect([next.chat.turn?.id, next.turnDeployId]).toEqual(["turn-9", "deploy-2"]);
});

test.each<[string, ProjectState, 0 | 1]>([
  ["idle", project(null), 0],
  ["creating_sandbox", project("creating_sandbox", { instructions: [instruction("one")] }), 1],
  ["running_agent", project("running_agent"), 1],
  ["awaiting_user", project("awaiting_user"), 1],
  ["warming", project("warming"), 1],
  ["warming_pool", liveProject("warming_pool"), 0],
  ["deployed", liveProject("deployed"), 0],
  ["updating", liveProject("updating"), 1],
  ["failed", project("failed"), 0],
])("a stop of %s", (_, state, cancelled) => {
  const { state: next, result } = accepted(stopDeploy(state, now));
  expect([result.cancelled, result.discarded]).toEqual([cancelled, cancelled === 1 ? state.instructions : []]);
  if (cancelled === 0) return expect(next).toBe(state);
  expect([next.deploy?.status, next.deploy?.error, next.chat.pause?.reason]).toEqual(["cancelled", null, "cancelled"]);
  expect(next.deploy?.sandboxKey).toBe("m-new");
  expect(next.instructions).toEqual([]);
});

test("a stopped redeploy leaves nothing; a stopped update restores the settings", () => {
  const { state, effects } = accepted(stopDeploy(redeploy("running_agent", { draft }), now));
  expect([state.draft, state.deploy?.sandboxKey, state.liveSandboxKey]).toEqual([null, null, "m-live"]);
  expect(effects).toContainEqual({ type: "destroy-sandbox", id: "m-new" });
  const update = accepted(stopDeploy({ ...liveProject("updating"), draft }, now));
  expect(update.effects).toContainEqual({ type: "put-settings-back", id: "m-new" });
});

test("a first Deploy that is stopped keeps its draft with its sandbox", () => {
  expect(accepted(stopDeploy(project("running_agent", { draft }), now)).state.draft).toEqual(draft);
});

test.each<[DeployStatus, boolean, boolean, boolean]>([
  // status, of a first Deploy, of a redeploy of a live project, of a Recovery Deploy
  ["creating_sandbox", true, true, false],
  ["starting_services", true, true, false],
  ["running_agent", true, true, false],
  ["awaiting_user", true, false, false],
  ["warming", true, true, false],
  ["promoting", true, true, false],
  ["deployed", false, false, false],
  ["failed", false, false, false],
  ["cancelled", false, false, false],
])("%s delays sessions: %s, %s, %s", (status, first, again, recovery) => {
  const ofService = redeploy(status, { deploy: deploy(status, { trigger: "system" }) });
  expect([project(status), redeploy(status), ofService].map(isHoldingSessions)).toEqual([first, again, recovery]);
});

test("neither an update nor a promoted Deploy delays sessions", () => {
  expect([liveProject("updating"), liveProject("warming_pool")].map(isHoldingSessions)).toEqual([false, false]);
});

test("a project that stays live is deployed again as soon as a run on it ended", () => {
  expect(
    [project(null), project("failed"), redeploy("failed"), liveProject("cancelled"), liveProject("updating")].map(
      getShownStatus,
    ),
  ).toEqual(["idle", "failed", "deployed", "deployed", "updating"]);
});

test("an unsettled stop continues to its end, and a queue that was resumed meanwhile continues", () => {
  const { state } = accepted(stopDeploy(project("running_agent"), now));
  const resumed = { ...state, chat: { ...state.chat, upNext: waiting("later"), pause: null } };
  const { state: next } = turnEnds(resumed, { status: "cancelled" });
  expect([next.deploy?.status, next.chat.turn?.status, next.chat.upNext]).toEqual(["running_agent", "pending", []]);
  const chosen = turnEnds({ ...resumed, savedModel: "openai:gpt__high" }, { status: "cancelled" });
  expect(chosen.state.chat.model).toBe("openai:gpt__high");
});

test("while its sandbox is being made the live one, a Deploy is neither stopped nor replaced", () => {
  const switching = redeploy("promoting", { deploy: deploy("promoting", { isSwitching: true }) });
  expect([refusalCode(stopDeploy(switching, now)), refusalCode(start(switching))]).toEqual([
    "DEPLOY_ACTIVE",
    "DEPLOY_ACTIVE",
  ]);
});

test.each([
  ["its status in lists changes", project("creating_sandbox"), project("failed"), ["publish-project"]],
  ["it was not there", null, project("creating_sandbox"), ["publish-project"]],
  ["its status stays", project("creating_sandbox"), project("creating_sandbox"), []],
])("a decision publishes the project if %s", (_, before, after, types) => {
  const { effects } = accepted(withPublication(before, decided(after, null)));
  expect(effects.map(({ type }) => type)).toEqual(types);
});
