// The state of a project object: its newest Deploy, the Deploy Chat, and the main sandbox.
import type { Author } from "../../access/rules/actor.ts";
import type { ChatDecision, ChatState } from "../../chat/rules/chat.ts";
import type { MessageBody } from "../../chat/rules/message.ts";
import type { ProjectSettings, StoredValue } from "../../project/rules/settings.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { ChatEffect, ProjectEffect } from "../../rules/effect.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { SystemMessage } from "./deploy-chat.ts";
import type { Pool } from "./spare-pool.ts";
import { type DeployStatus, getShownStatus, phaseDeadlinesMs } from "./status.ts";

export const deployTriggers = ["user", "system"] as const;

export interface Deploy {
  id: string;
  /** From 1 within the project. */
  number: number;
  /** `user`: a member started it. `system`: a Recovery Deploy. */
  trigger: (typeof deployTriggers)[number];
  status: DeployStatus;
  error: string | null;
  /** The sandbox in which it works; null if it has none. */
  sandboxKey: string | null;
  /** True from its promotion on. Every later run is an update of the live project. */
  isPromoted: boolean;
  /** True while the newest run is an update of the live project, in its live sandbox. */
  isUpdate: boolean;
  /** True once its agent has worked. */
  hasAgentRun: boolean;
  /** Identifies the current phase. Outcomes of earlier phases are ignored. */
  phaseId: string;
  phaseDueAt: number | null;
  /**
   * True while its sandbox is being made the live one. During that, the Deploy can be neither
   * stopped nor replaced.
   */
  isSwitching: boolean;
  /** The problems in setup and services, for the agent's first turn. */
  problems: string[];
  startedBy: Author | null;
  createdAt: number;
  startedAt: number;
  completedAt: number | null;
}

/**
 * A message that waits for the agent's first turn, because it was sent while the sandbox was being
 * built.
 */
export interface Instruction extends MessageBody {
  id: string;
  author: Author;
  createdAt: number;
}

/** Settings that the deploy agent has written and that are not in force yet. */
export interface SettingsDraft {
  /**
   * The project's settings at the time of the agent's change. Changes that a member has made since
   * then take precedence.
   */
  base: ProjectSettings<StoredValue>;
  settings: ProjectSettings<StoredValue>;
}

/** A sandbox that is no longer the live one and ends at a given time. */
export interface LeavingSandbox {
  sandboxKey: string;
  at: number;
}

export interface ProjectState {
  id: string;
  workspaceId: string;
  /** The newest Deploy; null before the first. */
  deploy: Deploy | null;
  /** The Deploy that the decision replaced; null when the state is loaded. */
  replacedDeploy: Deploy | null;
  /** The live main sandbox; null while the project is not live. */
  liveSandboxKey: string | null;
  leaving: LeavingSandbox[];
  draft: SettingsDraft | null;
  instructions: Instruction[];
  /** The model that a member has chosen; null for the default. */
  savedModel: string | null;
  /** The Deploy of the newest turn. */
  turnDeployId: string | null;
  pool: Pool;
  /**
   * The reason why the live checkout last failed to follow the Target Branch; null if it did not
   * fail.
   */
  stuckCheckout: string | null;
  /**
   * True if the main sandbox of the live project was deleted because nobody used it. A Deploy
   * creates another.
   */
  isMainReclaimed: boolean;
  chat: ChatState;
  /** Sentences that the decision adds; empty when the state is loaded. */
  says: SystemMessage[];
}

export type ProjectDecision<Result> = Decision<ProjectState, Result, ProjectEffect>;

/** A state with the effects that lead to it, for rules that consist of several steps. */
export interface Step {
  state: ProjectState;
  effects: ProjectEffect[];
}

export function isLive({ liveSandboxKey }: Pick<ProjectState, "liveSandboxKey">): boolean {
  return liveSandboxKey !== null;
}

/** The sandbox that the agent's turns run in. */
export function findWorkSandboxKey({ deploy, liveSandboxKey }: ProjectState): string | null {
  return deploy === null || deploy.isPromoted || deploy.isUpdate ? liveSandboxKey : deploy.sandboxKey;
}

/** The sandbox in which the Deploy works, otherwise the live one; null for none. */
export function findShownSandboxKey(state: ProjectState): string | null {
  const { deploy, liveSandboxKey, isMainReclaimed } = state;
  const key = deploy === null ? null : (findWorkSandboxKey(state) ?? liveSandboxKey);
  return isMainReclaimed && key === liveSandboxKey ? null : key;
}

/**
 * Enters a phase of the Deploy and sets its deadline. `waitMs` is null for a phase in which only
 * the agent works.
 */
export function startPhase(
  state: ProjectState,
  status: DeployStatus,
  now: number,
  waitMs: number | null = phaseDeadlinesMs[status] ?? null,
): Step {
  const { deploy } = state;
  if (deploy === null) return { state, effects: [] };
  const phaseId = [deploy.id, status, ...(deploy.isSwitching ? ["switch"] : []), now].join(":");
  const entered: Deploy = { ...deploy, status, phaseId, phaseDueAt: waitMs === null ? null : now + waitMs };
  return {
    state: { ...state, deploy: entered },
    effects: [
      waitMs === null
        ? { type: "forget", name: "phase-overdue" }
        : { type: "remind", name: "phase-overdue", at: now + waitMs },
      ...(waitMs === null ? [] : [{ type: "work-on-phase" as const, id: phaseId }]),
      { type: "index-project" },
    ],
  };
}

/**
 * Applies a decision of the chat to its project. `turn-end.ts` decides what the end of a turn
 * means.
 */
export function fromChatDecision<Result>(state: ProjectState, decision: ChatDecision<Result>): ProjectDecision<Result> {
  if (isRefusal(decision)) return decision;
  const effects = decision.effects.map(toProjectEffect);
  return decided({ ...state, chat: decision.state }, decision.result, effects);
}

/** The decision, with the effect that publishes the project if lists show another status of it. */
export function withPublication<Result>(
  before: ProjectState | null,
  decision: ProjectDecision<Result>,
): ProjectDecision<Result> {
  if (isRefusal(decision) || (before && getShownStatus(before) === getShownStatus(decision.state))) return decision;
  return { ...decision, effects: [...decision.effects, { type: "publish-project" }] };
}

export function toProjectEffect(effect: ChatEffect): ProjectEffect {
  return effect.type === "index-chat" ? { type: "index-project" } : effect;
}
