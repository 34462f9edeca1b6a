// The project object: one per project, and the authority on its Deploys, the Deploy Chat and the
// main sandbox.
import type { Actor } from "../../src/access/rules/actor.ts";
import type { ProductToolName } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { deployAgentProfile } from "../../src/deploy/rules/agent-profile.ts";
import { findDeployModel } from "../../src/deploy/rules/model.ts";
import { findShownSandboxKey, findWorkSandboxKey, type ProjectState } from "../../src/deploy/rules/project-state.ts";
import type { AgentSettings } from "../../src/deploy/rules/settings-draft.ts";
import { getShownStatus } from "../../src/deploy/rules/status.ts";
import { toWireDeployMessage } from "../../src/deploy/wire/chat.ts";
import { catalog } from "../../src/model/catalog.ts";
import { findProject } from "../../src/project/queries.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { isTurnLive } from "../chat/effects.ts";
import { steerMessage, updateQueue } from "../chat/queue.ts";
import type { QueueChange } from "../chat/rpc.ts";
import { toMessagesJson } from "../chat/transcript.ts";
import { TurnOwnerObject } from "../chat/turn-owner-object.ts";
import { getObjectName } from "../object/database.ts";
import { createProjectContext } from "./context.ts";
import { reclaimMain, recordFollowed, recordTargetMoved, startRecovery } from "./deploy/main-sandbox.ts";
import { chooseModel, resume, send, sendQueued, start, stop } from "./deploy/send.ts";
import { readOrDraftSettings, resealDraft } from "./deploy/settings.ts";
import { recordSessionStart, recordSettingsChange, recordSpareReturn } from "./deploy/spare-pool.ts";
import { deleteProject } from "./effects.ts";
import type { DeployChatView, MessageRequest, ProjectFacts, ProjectIdentity, ProjectRpc, StartRequest } from "./rpc.ts";

export class ProjectObject extends TurnOwnerObject implements ProjectRpc {
  protected readonly context = createProjectContext(this.ctx, this.env);

  async start(facts: ProjectFacts, request: StartRequest, repeat: Idempotency | null) {
    return await start(this.context, facts, request, repeat);
  }

  async send(facts: ProjectFacts, request: MessageRequest, repeat: Idempotency | null) {
    return await send(this.context, facts, request, repeat);
  }

  async cancel(facts: ProjectFacts, _by: Actor) {
    return await stop(this.context, facts);
  }

  async sendQueued(facts: ProjectFacts, messageId: string, by: Actor, repeat: Idempotency | null) {
    return await sendQueued(this.context, facts, { messageId, by }, repeat);
  }

  async steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal> {
    const { chat, once } = this.context;
    const steered = await once.run(repeat, async () => {
      const taken = await steerMessage(chat, { messageId, by, intoAny: true });
      return once.decide(repeat, () => taken);
    });
    return isRefusal(steered) ? unknownUnlessDeployed(steered) : steered;
  }

  async resumeQueue(facts: ProjectFacts, _by: Actor, repeat: Idempotency | null): Promise<Refusal | null> {
    return await resume(this.context, facts, repeat);
  }

  async updateQueue(change: QueueChange): Promise<Refusal | null> {
    const refusal = updateQueue(this.context.chat, change);
    return refusal && unknownUnlessDeployed(refusal);
  }

  async chooseModel(facts: ProjectFacts, model: string, _by: Actor): Promise<string | Refusal> {
    return chooseModel(this.context, facts, model);
  }

  async read(): Promise<ProjectState | null> {
    return this.context.store.find();
  }

  async deployChat(facts: ProjectFacts): Promise<{ view: DeployChatView; messages: ReadableStream<Uint8Array> }> {
    const { store, chat } = this.context;
    const state = this.context.stateFor(facts);
    const { deploy, savedModel, instructions } = state;
    const { turn } = state.chat;
    const view: DeployChatView = {
      deploy: deploy && { id: deploy.id, error: deploy.error },
      status: deploy?.status ?? getShownStatus(state),
      activeTurnId: isUnfinished(turn) ? turn.id : null,
      lastTurnId: turn?.id ?? null,
      sandboxKey: findShownSandboxKey(state),
      deployModel: findDeployModel(savedModel, { catalog, runnable: facts.runnable }),
      instructions,
    };
    const findDeploy = store.createDeployFinder();
    const toWire = toWireDeployMessage(facts.projectId, (turnId) => findDeploy(turnId) ?? turnId);
    return { view, messages: toMessagesJson(chat.transcript, toWire, store.chatBeginsAfter()) };
  }

  async deploys(page: number, pageSize: number) {
    return this.context.store.deploys(page, pageSize);
  }

  async readDraft(sandboxKey: string) {
    const state = this.context.store.find();
    return state !== null && findWorkSandboxKey(state) === sandboxKey ? state.draft : null;
  }

  async resealDraft(): Promise<void> {
    await resealDraft(this.context);
  }

  async settingsForAgent(claim: TurnLinkClaim, change: AgentSettings) {
    return await readOrDraftSettings(this.context, claim, change);
  }

  async sessionStarted(): Promise<void> {
    recordSessionStart(this.context);
  }

  async spareReturned(): Promise<void> {
    recordSpareReturn(this.context);
  }

  async settingsChanged(): Promise<void> {
    recordSettingsChange(this.context);
  }

  async targetMoved(): Promise<void> {
    recordTargetMoved(this.context);
  }

  async recordFollowed(outcome: { sandboxKey: string; reason: string | null }): Promise<void> {
    recordFollowed(this.context, outcome);
  }

  async recover(facts: Omit<ProjectFacts, "runnable" | "workspaceSpend">, lostKey: string): Promise<boolean> {
    return startRecovery(this.context, facts, lostKey);
  }

  async reclaimMain(facts: ProjectIdentity) {
    return await reclaimMain(this.context, facts);
  }

  async delete(): Promise<void> {
    await deleteProject(this.context);
  }

  async checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null> {
    if (!isTurnLive(this.context.chat, claim)) return refuse("FORBIDDEN", "This turn is over.");
    return deployAgentProfile.tools.includes(tool)
      ? null
      : refuse("FORBIDDEN", `The deploy agent has no tool ${tool}.`);
  }

  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.context.chat, claim);
  }

  async isOpen(): Promise<boolean> {
    if (this.context.store.find() !== null) return true;
    // A project that was live before Deploys existed is only in the database.
    return (await findProject(this.env.DB, getObjectName(this.ctx))) !== null;
  }
}

/** Before the first Deploy, Up next was always empty. */
function unknownUnlessDeployed(refusal: Refusal): Refusal {
  return refusal.code === "NOT_DEPLOYED" ? refuse("NOT_FOUND", "There is no such message in Up next.") : refusal;
}
