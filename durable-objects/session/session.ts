// The session object: one per chat session, and the authority on its turns, its messages and Up
// next.
import { DurableObject } from "cloudflare:workers";
import { type Actor, type Sender, service } from "../../src/access/rules/actor.ts";
import type { ProductToolName } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { Disconnection } from "../../src/chat/rules/turn-end.ts";
import { messageOnWire, type ShownConversation } from "../../src/chat/wire/message.ts";
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/lib/ids.ts";
import { within } from "../../src/lib/timeout.ts";
import type { TurnModelFacts } from "../../src/model/rules/choice.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { pageConversationBytes, pageConversationMessages } from "../../src/rules/limits.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import {
  type CheckoutEvent,
  type CodeHostEvent,
  handleCodeHostEvent,
} from "../../src/session/rules/pull-request/code-host-event.ts";
import type { CommandRequest } from "../../src/session/rules/runtime-command.ts";
import type { NewSession, SessionState } from "../../src/session/rules/session.ts";
import { isOpen } from "../../src/session/rules/status.ts";
import { endDisconnected } from "../../src/session/rules/turn-end.ts";
import type { SessionChanges } from "../../src/session/rules/update.ts";
import { type SessionVersion, versionOf } from "../../src/session/rules/version.ts";
import { cancel } from "../chat/effects.ts";
import { countCall, usageTold } from "../chat/model-calls.ts";
import type { AnsweredCall, CallPayer, CallRefused, OpenCall, ToolCall, UpNextChange } from "../chat/rpc.ts";
import { messagesAsJson } from "../chat/transcript.ts";
import { noteClosed, openSocket, receive } from "../chat/turn-owner-object.ts";
import { handleComments } from "./comments.ts";
import { commitInCheckout } from "./commit.ts";
import { noSession, openSessionContext } from "./context.ts";
import { fileFor } from "./file-session.ts";
import type {
  Begun,
  CommentCommand,
  CommitRequest,
  Filing,
  FirstMessage,
  SendRequest,
  Sent,
  SessionRpc,
  WorkFacts,
} from "./rpc.ts";
import { runAgentCommand } from "./runtime-command.ts";
import { activateSession, beginSession, changeWaiting, resume, sendMessage, sendQueuedNow, steer } from "./send.ts";
import { takeSpare } from "./spare.ts";
import { checkTool, isTurnLive, openCall, runTool } from "./tools.ts";
import { remove, stopSandbox, update } from "./update.ts";

/** The longest wait for a turn's usage to reach the database before the turn is shown. */
const usageWaitMs = 1_000;

export class SessionObject extends DurableObject<Env> implements SessionRpc {
  readonly #context = openSessionContext(this.ctx, this.env);

  async begin(
    command: NewSession,
    start: { by: Sender; first: FirstMessage | null },
    repeat: Idempotency | null,
  ): Promise<Begun | Refusal> {
    return await beginSession(this.#context, command, start, repeat);
  }

  /** Takes the session out of the Backlog. Its saved prompt starts the first turn. */
  async activate(request: Omit<SendRequest, "body">, facts: WorkFacts, repeat: Idempotency | null) {
    return await activateSession(this.#context, request, facts, repeat);
  }

  async fileSession(filing: Filing): Promise<{ filedDepth: number } | Refusal> {
    return fileFor(this.#context, filing);
  }

  async read(): Promise<SessionState | Refusal> {
    return this.#context.store.find() ?? noSession;
  }

  /**
   * Takes a spare for a session that has had no sandbox. Returns the key of the session's sandbox,
   * whether it is a spare or not; null for an unknown session.
   */
  async takeSpare(): Promise<string | null> {
    return await takeSpare(this.#context);
  }

  /** The session's version, for uploads and for manual changes in the checkout. */
  async version(): Promise<SessionVersion | Refusal> {
    const state = this.#context.store.find();
    return state ? versionOf(state) : noSession;
  }

  async send(request: SendRequest, facts: WorkFacts, repeat: Idempotency | null): Promise<Sent | Refusal> {
    return await sendMessage(this.#context, request, facts, repeat);
  }

  async sendQueued(messageId: string, by: Actor, facts: WorkFacts, repeat: Idempotency | null) {
    return await sendQueuedNow(this.#context, messageId, by, facts, repeat);
  }

  async steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal> {
    return await steer(this.#context, messageId, by, repeat);
  }

  async resumeUpNext(by: Actor, facts: WorkFacts, repeat: Idempotency | null): Promise<Refusal | null> {
    return await resume(this.#context, by, facts, repeat);
  }

  async changeUpNext(change: UpNextChange): Promise<Refusal | null> {
    return changeWaiting(this.#context, change);
  }

  async update(
    changes: SessionChanges,
    by: Actor,
    models: Pick<TurnModelFacts, "runnable">,
  ): Promise<SessionState | Refusal> {
    return await update(this.#context, changes, by, models);
  }

  async remove(by: Actor): Promise<Refusal | null> {
    return await remove(this.#context, by);
  }

  async runCommand(request: CommandRequest & { by: Actor }, repeat: Idempotency | null) {
    return runAgentCommand(this.#context, request, repeat);
  }

  /**
   * Returns a turn. If it has just ended, this waits until its usage is counted in the workspace's.
   */
  async turn(turnId: string): Promise<Turn | null> {
    this.#context.chat.counts.flush();
    await within(usageTold(this.#context, turnId), usageWaitMs);
    return this.#context.chat.store.turn(turnId);
  }

  async turns(page: number, pageSize: number): Promise<{ turns: Turn[]; total: number }> {
    return this.#context.chat.store.turns(page, pageSize);
  }

  async cancel(turnId: string, by: Actor): Promise<{ settled: boolean } | Refusal> {
    return await cancel(this.#context.chat, { turnId, by });
  }

  async stopSandbox(by: Actor): Promise<boolean> {
    return await stopSandbox(this.#context, by);
  }

  async messages(): Promise<ReadableStream<Uint8Array>> {
    const { chat, store } = this.#context;
    const { id = "", projectId = "" } = store.find()?.session ?? {};
    return messagesAsJson(chat.transcript, (message) => messageOnWire({ id, projectId }, message));
  }

  async newestMessages(): Promise<string> {
    const { chat, store } = this.#context;
    const { id = "", projectId = "" } = store.find()?.session ?? {};
    const most = { bytesMax: pageConversationBytes, messagesMax: pageConversationMessages };
    const { messages, hasEarlier } = chat.transcript.newest(most);
    const shown = messages.map(({ message, firstPlace }) => ({
      message: messageOnWire({ id, projectId }, message),
      firstPlace,
    }));
    return JSON.stringify({ messages: shown, hasEarlier } satisfies ShownConversation);
  }

  async checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null> {
    return checkTool(this.#context, claim, tool);
  }

  /** Runs a tool of the service for the agent of a turn. */
  async runTool(turnId: string, call: ToolCall) {
    return await runTool(this.#context, turnId, call);
  }

  async handleEvent(event: CodeHostEvent | CheckoutEvent): Promise<Refusal | null> {
    return this.#context.decide(service, (state, now) => handleCodeHostEvent(state, event, now));
  }

  async reviewComments(command: CommentCommand) {
    return handleComments(this.#context, command);
  }

  /**
   * The commits at which the branch has been, including a push that the code host has just
   * accepted.
   */
  async branchHeads(moved: { oldId: string; newId: string } | null) {
    return this.#context.branchHeads.read(moved);
  }

  /** Commits every change in the sandbox, of members and of earlier turns. */
  async commit(request: CommitRequest, repeat: Idempotency | null) {
    return await commitInCheckout(this.#context, request, repeat);
  }

  /**
   * True while the turn or command with this id may call a model or push: it was not stopped, and
   * no newer generation runs it.
   */
  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.#context, claim);
  }

  async openCall(claim: TurnLinkClaim, at: CallPayer): Promise<OpenCall | CallRefused> {
    return openCall(this.#context, claim, at);
  }

  /** Makes the next model call read again what the workspace pays with. */
  async forgetLogins(): Promise<void> {
    this.#context.chat.logins.forget();
  }

  async countCall(call: AnsweredCall): Promise<void> {
    await countCall(this.#context, call);
  }

  /** Ends the running turn if a disconnected subscription pays for it, and releases its sandbox. */
  async endDisconnected(gone: Disconnection): Promise<void> {
    this.#context.decide(service, (state, now) => endDisconnected(state, { gone, nextTurnId: newId(now) }, now));
  }

  /** True while sandboxes may work for the session: it is open, and not deleted. */
  async isOpen(): Promise<boolean> {
    const { session } = this.#context.store.find() ?? {};
    return session !== undefined && isOpen(session.status);
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

  /** When a person last read the session's live events; null if no one has. */
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
