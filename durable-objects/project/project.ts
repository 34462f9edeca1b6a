// The project object: one per project, and the authority on its Deploys, the Deploy Chat and the
// main sandbox.
import { DurableObject } from "cloudflare:workers";
import { type Actor, service } from "../../src/access/rules/actor.ts";
import type { ProductToolName } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { type Disconnection, endDisconnected } from "../../src/chat/rules/turn-end.ts";
import { deployAgentProfile } from "../../src/deploy/rules/agent-profile.ts";
import { deployModel } from "../../src/deploy/rules/model.ts";
import {
  type ProjectState,
  shownSandboxKey,
  shownStatus,
  workSandboxKey,
} from "../../src/deploy/rules/project-state.ts";
import type { SettingsChange } from "../../src/deploy/rules/settings-draft.ts";
import { deployMessageOnWire } from "../../src/deploy/wire/chat.ts";
import type { Env } from "../../src/env.ts";
import { catalog } from "../../src/model/catalog.ts";
import { turnOver } from "../../src/model-gateway/rules/failure.ts";
import { findProject } from "../../src/project/queries.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { isTurnLive } from "../chat/effects.ts";
import { countCall, openCall } from "../chat/model-calls.ts";
import { changeUpNext, steerMessage } from "../chat/queue.ts";
import type { AnsweredCall, CallPayer, CallRefused, OpenCall, UpNextChange } from "../chat/rpc.ts";
import { messagesAsJson } from "../chat/transcript.ts";
import { noteClosed, openSocket, receive } from "../chat/turn-owner-object.ts";
import { nameOf } from "../object/database.ts";
import { openProjectContext } from "./context.ts";
import { noteFollowed, noteTargetMoved, reclaimMain, recover } from "./deploy/main-sandbox.ts";
import { chooseModel, resume, send, sendQueued, start, stop } from "./deploy/send.ts";
import { resealDraft, settingsForAgent } from "./deploy/settings.ts";
import { sessionStarted, settingsChanged, spareReturned } from "./deploy/spare-pool.ts";
import { remove } from "./effects.ts";
import type { DeployChatView, MessageRequest, ProjectFacts, ProjectIdentity, ProjectRpc, StartRequest } from "./rpc.ts";

export class ProjectObject extends DurableObject<Env> implements ProjectRpc {
  readonly #context = openProjectContext(this.ctx, this.env);

  async start(facts: ProjectFacts, request: StartRequest, repeat: Idempotency | null) {
    return await start(this.#context, facts, request, repeat);
  }

  async send(facts: ProjectFacts, request: MessageRequest, repeat: Idempotency | null) {
    return await send(this.#context, facts, request, repeat);
  }

  /** Stops the Deploy that is running or waiting. */
  async cancel(facts: ProjectFacts, _by: Actor) {
    return await stop(this.#context, facts);
  }

  async sendQueued(facts: ProjectFacts, messageId: string, by: Actor, repeat: Idempotency | null) {
    return await sendQueued(this.#context, facts, { messageId, by }, repeat);
  }

  /** Steers a message into the running turn, regardless of who started the turn. */
  async steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal> {
    const { chat } = this.#context;
    const known = this.#context.firstAnswer(repeat);
    if (known) return isRefusal(known) ? known : (known.answer as { steerId: string });
    const steered = await steerMessage(chat, { messageId, by, intoAny: true });
    if (isRefusal(steered)) return unknownUnlessDeployed(steered);
    if (repeat) this.#context.answers.keep(repeat, steered, Date.now());
    return steered;
  }

  async resumeUpNext(facts: ProjectFacts, _by: Actor, repeat: Idempotency | null): Promise<Refusal | null> {
    return await resume(this.#context, facts, repeat);
  }

  async changeUpNext(change: UpNextChange): Promise<Refusal | null> {
    const refusal = changeUpNext(this.#context.chat, change);
    return refusal && unknownUnlessDeployed(refusal);
  }

  /** Chooses the model of the next turns, and returns it. */
  async chooseModel(facts: ProjectFacts, model: string, _by: Actor): Promise<string | Refusal> {
    return chooseModel(this.#context, facts, model);
  }

  async read(): Promise<ProjectState | null> {
    return this.#context.store.find();
  }

  async deployChat(facts: ProjectFacts): Promise<{ view: DeployChatView; messages: ReadableStream<Uint8Array> }> {
    const { store, chat } = this.#context;
    const state = this.#context.stateFor(facts);
    const { deploy, savedModel, instructions } = state;
    const { turn } = state.chat;
    const view: DeployChatView = {
      deploy: deploy && { id: deploy.id, error: deploy.error },
      status: deploy?.status ?? shownStatus(state),
      activeTurnId: isUnfinished(turn) ? turn.id : null,
      lastTurnId: turn?.id ?? null,
      sandboxKey: shownSandboxKey(state),
      deployModel: deployModel(savedModel, { catalog, runnable: facts.runnable }),
      instructions,
    };
    const deployOf = store.deploysOfTurns();
    const onWire = deployMessageOnWire(facts.projectId, (turnId) => deployOf(turnId) ?? turnId);
    return { view, messages: messagesAsJson(chat.transcript, onWire, store.chatBeginsAfter()) };
  }

  async deploys(page: number, pageSize: number) {
    return this.#context.store.deploys(page, pageSize);
  }

  /** The draft that a main sandbox works with; null if it works with the project's settings. */
  async draftOf(sandboxKey: string) {
    const state = this.#context.store.find();
    return state !== null && workSandboxKey(state) === sandboxKey ? state.draft : null;
  }

  async resealDraft(): Promise<void> {
    await resealDraft(this.#context);
  }

  async settingsForAgent(claim: TurnLinkClaim, change: SettingsChange) {
    return await settingsForAgent(this.#context, claim, change);
  }

  /** Called when a session of the project has started in a sandbox. */
  async sessionStarted(): Promise<void> {
    sessionStarted(this.#context);
  }

  /** Called when a spare that a session had claimed is back in the pool. */
  async spareReturned(): Promise<void> {
    spareReturned(this.#context);
  }

  /** Called when a member has changed the project's settings. */
  async settingsChanged(): Promise<void> {
    settingsChanged(this.#context);
  }

  /** Called when the Target Branch has a newer commit. */
  async targetMoved(): Promise<void> {
    noteTargetMoved(this.#context);
  }

  /**
   * Called when a woken main sandbox has tried to follow the Target Branch. `reason` says why it
   * could not; null if it did.
   */
  async noteFollowed(outcome: { sandboxKey: string; reason: string | null }): Promise<void> {
    noteFollowed(this.#context, outcome);
  }

  /**
   * Starts a Recovery Deploy for a live project whose main sandbox was found lost. Returns whether
   * it did.
   */
  async recover(facts: Omit<ProjectFacts, "runnable" | "workspaceSpend">, lostKey: string): Promise<boolean> {
    return recover(this.#context, facts, lostKey);
  }

  /**
   * Deletes a main sandbox that was paused and unused for long. Otherwise returns when that will be
   * the case.
   */
  async reclaimMain(facts: ProjectIdentity) {
    return await reclaimMain(this.#context, facts);
  }

  /** Stops what is running and deletes everything stored, because the project is deleted. */
  async remove(): Promise<void> {
    await remove(this.#context);
  }

  async checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null> {
    if (!isTurnLive(this.#context.chat, claim)) return refuse("FORBIDDEN", "This turn is over.");
    return deployAgentProfile.tools.includes(tool)
      ? null
      : refuse("FORBIDDEN", `The deploy agent has no tool ${tool}.`);
  }

  /** The deploy agent has none of the pull request tools. */
  async runTool() {
    return refuse("FORBIDDEN", "The deploy agent has no such tool.");
  }

  /** Events of the code host and of the checkout change nothing about a Deploy. */
  async handleEvent(): Promise<null> {
    return null;
  }

  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.#context.chat, claim);
  }

  /** The model gateway enforces the workspace's spending limit. */
  async openCall(claim: TurnLinkClaim, at: CallPayer): Promise<OpenCall | CallRefused> {
    const isLive = isTurnLive(this.#context.chat, claim);
    return isLive ? openCall(this.#context, claim.turnId, at) : { type: "refused", ...turnOver };
  }

  async countCall(call: AnsweredCall): Promise<void> {
    await countCall(this.#context, call);
  }

  /** Ends the running turn if a disconnected subscription pays for it. */
  async endDisconnected(gone: Disconnection): Promise<void> {
    this.#context.chat.owner.decide(service, (chat, now) => endDisconnected(chat, gone, now));
  }

  /**
   * True while sandboxes may work for the project. A project that was live before Deploys existed
   * is only in the database.
   */
  async isOpen(): Promise<boolean> {
    if (this.#context.store.find() !== null) return true;
    return (await findProject(this.env.DB, nameOf(this.ctx))) !== null;
  }

  /**
   * Wakes the object, so that it performs stored effects and restores a lost alarm. Called by the
   * sweep.
   */
  async poke(): Promise<void> {
    await this.#context.shell.rearm();
  }

  /** Retries the parked effects, and returns how many there are. */
  async retryParked(): Promise<number> {
    return await this.#context.shell.retryParked();
  }

  /** When a person last read the project's live events; null if no one has. */
  async lastReadAt(): Promise<number | null> {
    return this.#context.chat.subscribers.lastReadAt();
  }

  override async fetch(request: Request): Promise<Response> {
    return openSocket(this.#context.chat, request);
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    receive(this.#context.chat, socket, frame);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    noteClosed(this.#context.chat, socket);
  }

  override async alarm(): Promise<void> {
    await this.#context.shell.alarm();
  }
}

/** Before the first Deploy, Up next was always empty. */
function unknownUnlessDeployed(refusal: Refusal): Refusal {
  return refusal.code === "NOT_DEPLOYED" ? refuse("NOT_FOUND", "There is no such message in Up next.") : refusal;
}
