// The interface of a project object: every call that others make on it, with its types. Callers
// import only this file.

import type { Actor, Sender } from "../../src/access/rules/actor.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { Answer } from "../../src/chat/rules/clarification.ts";
import type { MessageBody } from "../../src/chat/rules/message.ts";
import type { BillingFacts } from "../../src/deploy/rules/billing.ts";
import type { Deploy, ProjectState, SettingsDraft } from "../../src/deploy/rules/project-state.ts";
import type { DeployDelivery } from "../../src/deploy/rules/send.ts";
import type { AgentSettings } from "../../src/deploy/rules/settings-draft.ts";
import type { Started } from "../../src/deploy/rules/start.ts";
import type { DeployStatus } from "../../src/deploy/rules/status.ts";
import type { StoppedDeploy } from "../../src/deploy/rules/stop.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { Reclaimed } from "../../src/sandbox/rules/delete-unused.ts";
import type { ServicesPlan } from "../../src/sandbox-protocol/protocol.ts";
import type { QueueChange, TurnOwnerRpc } from "../chat/rpc.ts";

/** What a route knows of a project, and sends with each call. */
export interface ProjectFacts extends BillingFacts {
  projectId: string;
  workspaceId: string;
  /** The key of the main sandbox, live or not created yet. */
  mainSandboxKey: string;
  isLive: boolean;
  /** The providers that the workspace has working credentials for. */
  runnable: ReadonlySet<ProviderId>;
}

/** What an object must know of its project before the first Deploy. */
export type ProjectIdentity = Pick<ProjectFacts, "projectId" | "workspaceId" | "isLive" | "mainSandboxKey">;

export interface StartRequest {
  by: Sender;
  /** The first message for the agent; null for none. */
  opening: MessageBody | null;
  /** True if a Deploy that is running or waiting must not be replaced. */
  onlyIfIdle: boolean;
  /** The Deploy that the sender of the first message saw; null if the sender did not say. */
  seenDeployId?: string | null;
}

export interface MessageRequest {
  by: Sender;
  body: MessageBody;
  /** The options chosen for the waiting clarification; empty for none. */
  answers: Answer[];
  /** The Deploy that the sender saw; null if the sender did not say. */
  seenDeployId: string | null;
}

/**
 * A result, and whether an earlier request with the same key already got it. If so, the files of
 * this request are unused.
 */
export interface OnceResult<Result> {
  result: Result;
  isRepeat: boolean;
}

/** The Deploy Chat without its messages. */
export interface DeployChatView {
  deploy: Pick<Deploy, "id" | "error"> | null;
  /**
   * The status of the newest Deploy. Without a Deploy, the status that lists show for the project.
   */
  status: DeployStatus | "idle";
  /** The running turn; null if there is none. */
  activeTurnId: string | null;
  lastTurnId: string | null;
  sandboxKey: string | null;
  deployModel: string | null;
  instructions: ProjectState["instructions"];
}

/** The settings as the deploy agent's tool receives them. */
export interface SettingsForAgent {
  /** The settings with masked values, as JSON, or a sentence about the proposed network. */
  shown: string;
  /** The plan to apply in the sandbox; null if nothing was written. */
  plan: (Omit<ServicesPlan, "restart"> & { setup: string[] }) | null;
}

/**
 * The project object: one per project, and the authority on its Deploys, the Deploy Chat and the
 * main sandbox.
 */
export interface ProjectRpc extends TurnOwnerRpc {
  start(facts: ProjectFacts, request: StartRequest, repeat: Idempotency | null): Promise<OnceResult<Started> | Refusal>;
  send(
    facts: ProjectFacts,
    request: MessageRequest,
    repeat: Idempotency | null,
  ): Promise<OnceResult<DeployDelivery> | Refusal>;
  /** Stops the Deploy that is running or waiting. */
  cancel(facts: ProjectFacts, by: Actor): Promise<StoppedDeploy | Refusal>;
  sendQueued(
    facts: ProjectFacts,
    messageId: string,
    by: Actor,
    repeat: Idempotency | null,
  ): Promise<DeployDelivery | Refusal>;
  /** Steers a message into the running turn, regardless of who started the turn. */
  steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal>;
  resumeQueue(facts: ProjectFacts, by: Actor, repeat: Idempotency | null): Promise<Refusal | null>;
  updateQueue(change: QueueChange): Promise<Refusal | null>;
  /** Chooses the model of the next turns, and returns it. */
  chooseModel(facts: ProjectFacts, model: string, by: Actor): Promise<string | Refusal>;
  /** The state; null for a project that never had a Deploy. */
  read(): Promise<ProjectState | null>;
  /** The Deploy Chat, with its messages as a JSON array, oldest first. */
  deployChat(facts: ProjectFacts): Promise<{ view: DeployChatView; messages: ReadableStream<Uint8Array> }>;
  /** Deploys, newest first. `page` counts from 1. */
  deploys(page: number, pageSize: number): Promise<{ deploys: Deploy[]; total: number }>;
  /** The draft that a main sandbox works with; null if it works with the project's settings. */
  readDraft(sandboxKey: string): Promise<SettingsDraft | null>;
  /** Seals an existing draft with the first sealing key. */
  resealDraft(): Promise<void>;
  /**
   * Reads the settings for the agent of a live turn, or writes them as a draft, and keeps the
   * network that it proposes.
   */
  settingsForAgent(claim: TurnLinkClaim, change: AgentSettings): Promise<SettingsForAgent | Refusal>;
  /** Called when a session of the project has started in a sandbox. */
  sessionStarted(): Promise<void>;
  /** Called when a spare that a session had claimed is back in the pool. */
  spareReturned(): Promise<void>;
  /** Called when a member has changed the project's settings. */
  settingsChanged(): Promise<void>;
  /** Called when the Target Branch has a newer commit. */
  targetMoved(): Promise<void>;
  /**
   * Called when a woken main sandbox has tried to follow the Target Branch. `reason` says why it
   * could not; null if it did.
   */
  recordFollowed(outcome: { sandboxKey: string; reason: string | null }): Promise<void>;
  /**
   * Starts a Recovery Deploy for a live project whose main sandbox was found lost. Returns whether
   * it did.
   */
  recover(facts: Omit<ProjectFacts, "runnable" | "workspaceSpend">, lostKey: string): Promise<boolean>;
  /**
   * Deletes a main sandbox that was paused and unused for long. Otherwise returns when that will be
   * the case.
   */
  reclaimMain(facts: ProjectIdentity): Promise<Reclaimed>;
  /** Stops what is running and deletes everything stored, because the project is deleted. */
  delete(): Promise<void>;
}
