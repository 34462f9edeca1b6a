// The state of a project with a Deploy in a status, for tests of the rules.

import { createChatState } from "../../src/chat/rules/chat.ts";
import { noContext } from "../../src/chat/rules/message.ts";
import type { Deploy, Instruction, ProjectState } from "../../src/deploy/rules/project-state.ts";
import { emptyPool } from "../../src/deploy/rules/spare-pool.ts";
import { type DeployStatus, phaseDeadlinesMs } from "../../src/deploy/rules/status.ts";
import { member, now, turn } from "./session-state.ts";

export function deploy(status: DeployStatus, changes: Partial<Deploy> = {}): Deploy {
  const waitMs = phaseDeadlinesMs[status];
  return {
    id: "deploy-1",
    number: 1,
    trigger: "user",
    status,
    error: null,
    sandboxKey: "m-new",
    isPromoted: false,
    isUpdate: false,
    hasAgentRun: status === "running_agent" || status === "awaiting_user",
    phaseId: `deploy-1:${status}`,
    phaseDueAt: waitMs === undefined ? null : now + waitMs,
    isSwitching: false,
    problems: [],
    startedBy: member(),
    createdAt: now,
    startedAt: now,
    completedAt: null,
    ...changes,
  };
}

/** A project whose newest Deploy is in a status, with the turn that belongs to it. */
export function project(status: DeployStatus | null, changes: Partial<ProjectState> = {}): ProjectState {
  const agentWorks = status === "running_agent" || status === "updating";
  const chat = createChatState({ model: "anthropic:opus__xhigh", conversationId: "deploy-1" });
  return {
    id: "project-1",
    workspaceId: "ws_1",
    deploy: status === null ? null : deploy(status),
    replacedDeploy: null,
    liveSandboxKey: null,
    leaving: [],
    draft: null,
    instructions: [],
    savedModel: null,
    turnDeployId: agentWorks ? "deploy-1" : null,
    pool: emptyPool,
    stuckCheckout: null,
    isMainReclaimed: false,
    chat: agentWorks ? { ...chat, turn: turn("running") } : chat,
    says: [],
    ...changes,
  };
}

/** A project that is live by this Deploy. */
export function liveProject(status: DeployStatus, changes: Partial<Deploy> = {}): ProjectState {
  const isUpdate = status === "updating";
  const live = deploy(status, { isPromoted: true, hasAgentRun: true, isUpdate, ...changes });
  return { ...project(status), deploy: live, liveSandboxKey: "m-new" };
}

export function instruction(id: string, content = id): Instruction {
  return { id, content, attachments: [], context: noContext, author: member(), createdAt: now };
}
