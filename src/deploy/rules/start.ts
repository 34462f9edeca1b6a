// The start of a Deploy: by a member, or by the service, which recovers a main sandbox that is
// gone.
import { type Author, getAuthor, type Sender } from "../../access/rules/actor.ts";
import { getWriter, type MessageBody, withWriter } from "../../chat/rules/message.ts";
import { cancelTurn } from "../../chat/rules/stop.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { decided } from "../../rules/decision.ts";
import type { ProjectEffect } from "../../rules/effect.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { type BillingFacts, checkBilling } from "./billing.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import { releaseSandbox } from "./end.ts";
import {
  type Deploy,
  type Instruction,
  type ProjectDecision,
  type ProjectState,
  type Step,
  startPhase,
  toProjectEffect,
} from "./project-state.ts";
import { type DeployStatus, isAtWork } from "./status.ts";
import { becomesLive } from "./stop.ts";

export interface StartCommand {
  deployId: string;
  /** The key of the sandbox to create. */
  sandboxKey: string;
  /** Null for the service. */
  by: Sender | null;
  /** The reason why the service starts it. */
  reason?: string;
  /** The first message for the agent; null for none. */
  opening: (MessageBody & { id: string }) | null;
  /** True for `freshDeploy`: it replaces no Deploy that runs or waits. */
  onlyIfIdle?: boolean;
}

export interface StartFacts extends BillingFacts {
  /**
   * True if the Deploy that the sender of the first message saw was stopped, is being stopped, or
   * was replaced while it ran.
   */
  seenWasStopped?: boolean;
}

export interface Started {
  status: DeployStatus;
  deployId: string;
}

/** Refuses a message whose sender does not know that the Deploy was stopped. */
export const seenStopped = refuse(
  "JOB_STOPPED",
  "The Deploy that you saw was stopped. Ask the person before you send again.",
);

/** True while a stop is incomplete: the Deploy has ended, but its turn has not. */
export function isStopping({ deploy, chat }: ProjectState): boolean {
  return isUnfinished(chat.turn) && (deploy === null || !isAtWork(deploy.status));
}

/**
 * Starts a Deploy. A Deploy that runs or waits is cancelled immediately; its turn, its sandbox and
 * its draft end afterwards.
 */
export function startDeploy(
  state: ProjectState,
  command: StartCommand,
  facts: StartFacts,
  now: number,
): ProjectDecision<Started> {
  if (facts.seenWasStopped === true) return seenStopped;
  if (command.onlyIfIdle === true && state.deploy !== null && isAtWork(state.deploy.status))
    return refuse("DEPLOY_ACTIVE", "A Deploy is running. Send the message without freshDeploy, or stop it first.");
  const unpaid = checkBilling(facts);
  if (unpaid) return unpaid;
  if (isStopping(state)) return refuse("DEPLOY_ACTIVE", "The Deploy is still being stopped. Start again shortly.");
  if (state.deploy?.isSwitching) return refuse("DEPLOY_ACTIVE", becomesLive);
  const freed = replaceDeploy(state, now);
  const author = command.by && getAuthor(command.by);
  const deploy: Deploy = {
    id: command.deployId,
    number: (state.deploy?.number ?? 0) + 1,
    trigger: command.by === null ? "system" : "user",
    status: "creating_sandbox",
    error: null,
    sandboxKey: command.sandboxKey,
    isPromoted: false,
    isUpdate: false,
    hasAgentRun: false,
    phaseId: "",
    phaseDueAt: null,
    isSwitching: false,
    problems: [],
    startedBy: author,
    createdAt: now,
    startedAt: now,
    completedAt: null,
  };
  const next: ProjectState = {
    ...freed.state,
    deploy,
    draft: null,
    instructions: [...freed.state.instructions, ...listOpening(command, now)],
    // The sandbox is new, so the agent starts a new conversation. A start by a member resumes Up
    // next; a start by the service does not change a pause.
    chat: {
      ...freed.state.chat,
      conversationId: command.deployId,
      clearedAt: now,
      pause: author === null ? freed.state.chat.pause : null,
    },
  };
  const said = addServiceMessage(
    next,
    author === null ? (command.reason ?? "") : `${getName(author)} started a Deploy.`,
    now,
  );
  const entered = startPhase(said, "creating_sandbox", now);
  return decided(entered.state, { status: "creating_sandbox", deployId: deploy.id }, [
    ...freed.effects,
    ...entered.effects,
  ]);
}

/**
 * Replaces the newest Deploy in the state. What waits for its agent continues with the newer one.
 */
function replaceDeploy(state: ProjectState, now: number): Step {
  const { deploy, chat } = state;
  if (deploy === null) return { state, effects: [] };
  const effects: ProjectEffect[] = [];
  const live = state.liveSandboxKey;
  const isUpdate = deploy.isPromoted || deploy.isUpdate;
  if (isUpdate && state.draft !== null && live !== null) effects.push({ type: "put-settings-back", id: live });
  const replacedDeploy: Deploy = isAtWork(deploy.status)
    ? { ...deploy, status: "cancelled", error: null, completedAt: now }
    : deploy.status === "warming_pool"
      ? { ...deploy, status: "deployed", completedAt: now }
      : deploy;
  const dropped = releaseSandbox({ ...state, replacedDeploy }, effects);
  const { turn } = chat;
  if (!isUnfinished(turn)) return dropped;
  const stopped = cancelTurn(dropped.state.chat, { turnId: turn.id }, now);
  if (isRefusal(stopped)) return dropped;
  return {
    state: { ...dropped.state, chat: stopped.state },
    effects: [...dropped.effects, ...stopped.effects.map(toProjectEffect)],
  };
}

function listOpening({ opening, by }: StartCommand, now: number): Instruction[] {
  if (opening === null || by === null) return [];
  const author = getAuthor(by);
  return [{ ...withWriter(opening, getWriter(by), author), author, createdAt: now }];
}

/** The name of an author, for use in a sentence. */
function getName(author: Author): string {
  switch (author.kind) {
    case "member":
      return author.name;
    case "cron":
      return "A run of a cron";
    case "session":
      return "The agent of a session";
    case "relay":
      return "A chat tool";
    case "trigger":
      return "A trigger";
    case "service":
      return "The service";
  }
}
