// The session object: one per chat session, and the authority on its turns, its messages and Up next.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import type { Turn } from "../../src/rules/chat/turn.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { ModelCircumstances } from "../../src/rules/model/model.ts";
import { type CheckoutNews, type HostNews, hearOfHost } from "../../src/rules/pull-request/code-host-event.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import { type SessionVersion, versionOf } from "../../src/rules/session/precondition.ts";
import type { RuntimeCommand } from "../../src/rules/session/runtime-command.ts";
import type { NewSession, SessionState } from "../../src/rules/session/session.ts";
import type { SessionChanges } from "../../src/rules/session/update.ts";
import type { TurnLinkClaim } from "../../src/sandbox/link-event.ts";
import type { ToolCall } from "../chat/rpc.ts";
import { messagesAsJson } from "../chat/stream.ts";
import { mindComments } from "./comments.ts";
import { commitInCheckout } from "./commit.ts";
import { noSession, openSessionDesk } from "./context.ts";
import type {
  Begun,
  CommentCommand,
  CommitRequest,
  FirstMessage,
  SendOrder,
  Sent,
  SessionRpc,
  UpNextChange,
  WorkCircumstances,
} from "./rpc.ts";
import { heed, noteClosed, openSocket } from "./sockets.ts";
import { activateSession, beginSession, resume, sendMessage, sendQueuedNow } from "./start.ts";
import { runTool } from "./tools.ts";
import { isTurnLive } from "./turn-host.ts";
import { changeUpNext, steerMessage } from "./up-next.ts";
import { cancel, remove, runAgentCommand, stopSandbox, update } from "./update.ts";

export class SessionObject extends DurableObject<Env> implements SessionRpc {
  readonly #desk = openSessionDesk(this.ctx, this.env);

  async begin(command: NewSession, first: FirstMessage | null, repeat: Idempotency | null): Promise<Begun | Refusal> {
    return await beginSession(this.#desk, command, first, repeat);
  }

  /** Takes the session out of the Backlog; its saved prompt starts the first turn. */
  async activate(order: Omit<SendOrder, "body">, circumstances: WorkCircumstances, repeat: Idempotency | null) {
    return await activateSession(this.#desk, order, circumstances, repeat);
  }

  async read(): Promise<SessionState | Refusal> {
    return this.#desk.store.find() ?? noSession;
  }

  /** What a message that will be long on its way relies on, and what is done by hand in the checkout. */
  async version(): Promise<SessionVersion | Refusal> {
    const state = this.#desk.store.find();
    return state ? versionOf(state) : noSession;
  }

  async send(order: SendOrder, circumstances: WorkCircumstances, repeat: Idempotency | null): Promise<Sent | Refusal> {
    return await sendMessage(this.#desk, order, circumstances, repeat);
  }

  async sendQueued(messageId: string, by: Actor, circumstances: WorkCircumstances, repeat: Idempotency | null) {
    return await sendQueuedNow(this.#desk, messageId, by, circumstances, repeat);
  }

  async steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal> {
    return await steerMessage(this.#desk, messageId, by, repeat);
  }

  async resumeUpNext(circumstances: WorkCircumstances, repeat: Idempotency | null): Promise<Refusal | null> {
    return await resume(this.#desk, circumstances, repeat);
  }

  async changeUpNext(change: UpNextChange): Promise<Refusal | null> {
    return changeUpNext(this.#desk, change);
  }

  async update(changes: SessionChanges, models: Pick<ModelCircumstances, "runnable">): Promise<SessionState | Refusal> {
    return await update(this.#desk, changes, models);
  }

  async remove(): Promise<Refusal | null> {
    return await remove(this.#desk);
  }

  async runCommand(command: RuntimeCommand, instructions: string | null, repeat: Idempotency | null) {
    return runAgentCommand(this.#desk, { command, instructions }, repeat);
  }

  async turn(turnId: string): Promise<Turn | null> {
    return this.#desk.store.turn(turnId);
  }

  async turns(page: number, pageSize: number): Promise<{ turns: Turn[]; total: number }> {
    return this.#desk.store.turns(page, pageSize);
  }

  async cancel(turnId: string): Promise<{ settled: boolean } | Refusal> {
    return await cancel(this.#desk, turnId);
  }

  async stopSandbox(): Promise<boolean> {
    return await stopSandbox(this.#desk);
  }

  async messages(): Promise<ReadableStream<Uint8Array>> {
    return messagesAsJson(this.#desk);
  }

  /** Does for the agent of a turn what is the service's to do. */
  async runTool(turnId: string, call: ToolCall) {
    return await runTool(this.#desk, turnId, call);
  }

  async handleEvent(event: HostNews | CheckoutNews): Promise<Refusal | null> {
    return this.#desk.decide((state, now) => hearOfHost(state, event, now));
  }

  async reviewComments(command: CommentCommand) {
    return mindComments(this.#desk, command);
  }

  /** Where the branch has stood, a push included that the code host has just taken. */
  async branchHeads(moved: { oldId: string; newId: string } | null) {
    return this.#desk.branchHeads.read(moved);
  }

  /** Commits what a member, or an earlier turn, changed in the sandbox. */
  async commit(order: CommitRequest, repeat: Idempotency | null) {
    return await commitInCheckout(this.#desk, order, repeat);
  }

  /** True while the turn, or the command of this id, may call a model or push: nobody asked it to stop, and no newer sandbox has it. */
  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.#desk.store, claim);
  }

  /** Wakes the object, so that it takes up what an earlier life left, and what waits for an alarm that was lost; for the sweep. */
  async poke(): Promise<void> {
    await this.#desk.shell.rearm();
  }

  override async fetch(request: Request): Promise<Response> {
    return openSocket(this.#desk, request);
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    heed(this.#desk, socket, frame);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    noteClosed(this.#desk, socket);
  }

  override async alarm(): Promise<void> {
    await this.#desk.shell.alarm();
  }
}
