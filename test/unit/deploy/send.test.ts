// What happens to a message to the Deploy Chat, by the state of the Deploy.
import { expect, test } from "vitest";
import type { Answer } from "../../../src/chat/rules/clarification.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { type DeployMessageFacts, sendToDeploy } from "../../../src/deploy/rules/send.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { deploy, instruction, liveProject, project } from "../../support/deploy-state.ts";
import { accepted, byMember, now, refusalCode, turn, waiting } from "../../support/session-state.ts";

const facts: DeployMessageFacts = {
  isBlockedOnBilling: false,
  workspaceSpend: noSpend,
  model: "anthropic:opus__xhigh",
  canResume: true,
  seenWasStopped: false,
  questions: [{ topic: "Port", question: "Which port?", options: ["3000", "8080"].map(option) }],
};

function option(title: string) {
  return { title, description: "", isRecommended: false };
}

const deliver = (state: ProjectState, changes: Partial<DeployMessageFacts> = {}, answers: Answer[] = []) =>
  sendToDeploy(
    state,
    { messageId: "message-1", turnId: "turn-2", body: createTextMessage("Go on."), answers, by: byMember() },
    { ...facts, ...changes },
    now,
  );

const stopped = (status: "cancelled" | "failed", hasAgentRun: boolean) =>
  project(null, { deploy: deploy(status, { hasAgentRun, completedAt: now }) });
const stopping = project(null, {
  deploy: deploy("cancelled", { hasAgentRun: true }),
  turnDeployId: "deploy-1",
  chat: { ...project("running_agent").chat, turn: turn("running", { stopRequestedAt: now }) },
});
const failedRedeploy = project(null, { deploy: deploy("failed", { sandboxKey: null }), liveSandboxKey: "m-live" });

test.each<[string, ProjectState, string]>([
  ["never deployed", project(null), "NOT_DEPLOYED"],
  ["creating_sandbox", project("creating_sandbox"), "steer creating_sandbox"],
  ["starting_services", project("starting_services"), "steer starting_services"],
  ["running_agent", project("running_agent"), "queued"],
  ["awaiting_user", project("awaiting_user"), "job running_agent"],
  ["awaiting_user of an update", liveProject("awaiting_user", { isUpdate: true }), "job updating"],
  ["warming", project("warming"), "steer warming"],
  ["promoting", project("promoting"), "steer promoting"],
  ["warming_pool", liveProject("warming_pool"), "job updating"],
  ["deployed", liveProject("deployed"), "job updating"],
  ["updating", liveProject("updating"), "queued"],
  ["a stopped update", liveProject("cancelled"), "job updating"],
  ["a failed update", liveProject("failed"), "job updating"],
  [
    "a live project whose main sandbox was reclaimed",
    { ...liveProject("deployed"), isMainReclaimed: true },
    "NOT_DEPLOYED",
  ],
  [
    "one that a Deploy brings back",
    { ...liveProject("awaiting_user", { isPromoted: false, sandboxKey: "m-next" }), isMainReclaimed: true },
    "job running_agent",
  ],
  ["a failed redeploy of a live project", failedRedeploy, "job updating"],
  ["a first Deploy that was stopped before its agent", stopped("cancelled", false), "job creating_sandbox"],
  ["a first Deploy that was stopped behind it", stopped("cancelled", true), "job running_agent"],
  ["a first Deploy that failed behind it", stopped("failed", true), "job running_agent"],
  [
    "a first Deploy that failed without a sandbox",
    project(null, { deploy: deploy("failed", { sandboxKey: null }) }),
    "NOT_DEPLOYED",
  ],
  ["a stop that has not settled", stopping, "queued"],
])("%s", (_, state, expected) => {
  const decision = deliver(state);
  if (isRefusal(decision)) return expect(decision.code).toBe(expected);
  const { result } = decision;
  expect(result.delivery === "queued" ? result.delivery : `${result.delivery} ${result.status}`).toBe(expected);
  // No message is lost: it is queued, or it is in the conversation.
  const { chat, instructions } = decision.state;
  const kept = [...chat.upNext, ...instructions, ...chat.newMessages].map(({ id }) => id);
  expect(kept).toEqual(["message-1"]);
});

test.each<[string, ProjectState, Partial<DeployMessageFacts>, string]>([
  ["a Deploy that the sender saw was stopped", project("running_agent"), { seenWasStopped: true }, "JOB_STOPPED"],
  ["the kept sandbox is gone", stopped("cancelled", true), { canResume: false }, "DEPLOY_RESUME_UNAVAILABLE"],
  [
    "the workspace is blocked on billing",
    liveProject("deployed"),
    { isBlockedOnBilling: true },
    "CREDIT_LIMIT_REACHED",
  ],
  [
    "20 instructions wait",
    project("creating_sandbox", { instructions: Array.from({ length: 20 }, (_, at) => instruction(`i${at}`)) }),
    {},
    "QUEUE_FULL",
  ],
  [
    "20 messages wait",
    project("running_agent", {
      chat: { ...project("running_agent").chat, upNext: waiting(...Array.from({ length: 20 }, (_, at) => `m${at}`)) },
    }),
    {},
    "QUEUE_FULL",
  ],
])("a message is refused where %s", (_, state, changes, code) => {
  expect(refusalCode(deliver(state, changes))).toBe(code);
});

test("a workspace that is blocked on billing lets running work continue", () => {
  for (const state of [project("running_agent"), project("creating_sandbox")])
    expect(refusalCode(deliver(state, { isBlockedOnBilling: true }))).toBeNull();
});

test("an answer to a clarification resumes the queue and belongs to the same run", () => {
  const asked = project("awaiting_user");
  const paused = { ...asked, chat: { ...asked.chat, pause: { reason: "awaiting_response" as const, pausedAt: now } } };
  const { state } = accepted(deliver(paused));
  expect([state.chat.pause, state.deploy?.startedAt, state.deploy?.id]).toEqual([null, now, "deploy-1"]);
});

test.each<Answer>([
  { question: 0, option: 1 },
  { question: "Which port?", option: "8080" },
])("an option of a clarification is stored with the message: %j", (answer) => {
  const { state } = accepted(deliver(project("awaiting_user"), {}, [answer]));
  expect(state.chat.newMessages[0]?.context.answers).toEqual([{ question: "Which port?", option: "8080" }]);
});

const choices = { questions: [{ question: "Which port?", options: ["3000", "8080"] }] };

test.each<[string, ProjectState, Answer, object]>([
  ["that is not among the choices", project("awaiting_user"), { question: 0, option: "9000" }, choices],
  ["while the agent works", project("running_agent"), { question: 0, option: 0 }, { questions: [] }],
  ["while the sandbox is built", project("creating_sandbox"), { question: 0, option: 0 }, { questions: [] }],
  ["of a clarification that a stop ended", stopped("cancelled", true), { question: 0, option: 0 }, { questions: [] }],
])("an option %s is refused with the choices", (_, state, answer, details) => {
  expect(deliver(state, {}, [answer])).toMatchObject({ code: "BAD_REQUEST", details });
});
