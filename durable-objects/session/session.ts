// The session object: one per chat session, and the authority on its turns, its messages and Up
// next.

import { type Actor, type Sender, service } from "../../src/access/rules/actor.ts";
import type { ProductToolName } from "../../src/chat/rules/agent-profile.ts";
import type { Boot } from "../../src/chat/rules/boot.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { Disconnection } from "../../src/chat/rules/turn-payer.ts";
import { type ShownConversation, toWireMessage } from "../../src/chat/wire/message.ts";
import type { MessagePageRequest } from "../../src/chat/wire/message-page.ts";
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import { createId } from "../../src/lib/ids.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import type { TurnModelFacts } from "../../src/model/rules/choice.ts";
import type { CallFailure } from "../../src/model-gateway/rules/failure.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { pageConversationBytes, pageConversationMessages } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import type { SessionRestore } from "../../src/session/queries/restores.ts";
import { releaseFromDeleted } from "../../src/session/rules/delete.ts";
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
import { getVersion, type SessionVersion } from "../../src/session/rules/version.ts";
import { cancel } from "../chat/effects.ts";
import { readMessagePage } from "../chat/message-page.ts";
import { waitForUsageReport } from "../chat/model-calls.ts";
import type { QueueChange, ToolCall } from "../chat/rpc.ts";
import { toMessagesJson } from "../chat/transcript.ts";
import { TurnOwnerObject } from "../chat/turn-owner-object.ts";
import { handleComments } from "./comments.ts";
import { commitInCheckout, pushFromCheckout } from "./commit.ts";
import { createSessionContext, noSession } from "./context.ts";
import { recordFiling } from "./file-session.ts";
import { createRecovery } from "./restore.ts";
import type {
  CommentCommand,
  CommitRequest,
  Filing,
  FirstMessage,
  PushRequest,
  SendRequest,
  Sent,
  SessionRpc,
  ShownTurn,
  StartedSession,
  StartResult,
  WorkFacts,
} from "./rpc.ts";
import { runAgentCommand } from "./runtime-command.ts";
import {
  activateSession,
  createSession,
  resume,
  sendMessage,
  sendQueuedNow,
  steer,
  updateSessionQueue,
} from "./send.ts";
import { claimSpareForPreview } from "./spare.ts";
import { checkSpend, checkTool, isTurnLive, runTool } from "./tools.ts";
import { stopAndDelete, stopSandbox, update } from "./update.ts";

/** The longest wait for a turn's usage to reach the database before the turn is shown. */
const usageWaitMs = 1_000;
/** The longest wait until lists no longer show a deleted Assignee. */
const indexWaitMs = 5_000;

export class SessionObject extends TurnOwnerObject implements SessionRpc {
  protected readonly context = createSessionContext(this.ctx, this.env);
  /** How far the start of the sandbox of a pending turn is. An eviction forgets it. */
  #boot: { turnId: string; boot: Boot } | null = null;

  async create(
    command: NewSession,
    start: { by: Sender; first: FirstMessage | null },
    repeat: Idempotency | null,
  ): Promise<StartedSession | Refusal> {
    return await createSession(this.context, command, start, repeat);
  }

  async activate(request: Omit<SendRequest, "body">, facts: WorkFacts, repeat: Idempotency | null) {
    return await activateSession(this.context, request, facts, repeat);
  }

  async fileSession(filing: Filing): Promise<{ filedDepth: number } | Refusal> {
    return recordFiling(this.context, filing);
  }

  async read(): Promise<SessionState | Refusal> {
    return this.context.store.find() ?? noSession;
  }

  async checkSpend(payer: Payer): Promise<CallFailure | null> {
    return this.refuseCall(payer);
  }

  async claimSpare(): Promise<string | null> {
    return await claimSpareForPreview(this.context);
  }

  async version(): Promise<SessionVersion | Refusal> {
    const state = this.context.store.find();
    return state ? getVersion(state) : noSession;
  }

  async send(request: SendRequest, facts: WorkFacts, repeat: Idempotency | null): Promise<Sent | Refusal> {
    return await sendMessage(this.context, request, facts, repeat);
  }

  async sendQueued(messageId: string, by: Actor, facts: WorkFacts, repeat: Idempotency | null) {
    return await sendQueuedNow(this.context, messageId, by, facts, repeat);
  }

  async steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal> {
    return await steer(this.context, messageId, by, repeat);
  }

  async resumeQueue(by: Actor, facts: WorkFacts, repeat: Idempotency | null): Promise<Refusal | null> {
    return await resume(this.context, by, facts, repeat);
  }

  async updateQueue(change: QueueChange): Promise<Refusal | null> {
    return updateSessionQueue(this.context, change);
  }

  async update(
    changes: SessionChanges,
    by: Actor,
    models: Pick<TurnModelFacts, "runnable">,
  ): Promise<SessionState | Refusal> {
    return await update(this.context, changes, by, models);
  }

  async delete(by: Actor): Promise<Refusal | null> {
    return await stopAndDelete(this.context, by);
  }

  async checkRestore(time: number): Promise<Refusal | null> {
    const bookmark = await createRecovery(this.ctx, this.context).findBookmark(time);
    return isRefusal(bookmark) ? bookmark : null;
  }

  async restore(restore: Pick<SessionRestore, "sessionId" | "token" | "toTime">): Promise<Refusal> {
    return await this.context.exclusively(() => createRecovery(this.ctx, this.context).restore(restore));
  }

  async settleRestore(restore: SessionRestore, deletedPeople: string[]) {
    const recovery = createRecovery(this.ctx, this.context);
    const restored = recovery.settle(restore);
    if (restored === "restored") {
      for (const person of recovery.listNamed(deletedPeople)) await this.deletePerson(person);
      await waitAtMost(this.context.shell.settled({ type: "index-session" }), indexWaitMs);
    }
    return restored;
  }

  async undoRestore(restore: SessionRestore): Promise<void> {
    await createRecovery(this.ctx, this.context).undo(restore);
  }

  async runCommand(request: CommandRequest & { by: Actor }, repeat: Idempotency | null) {
    return runAgentCommand(this.context, request, repeat);
  }

  async turn(turnId: string): Promise<ShownTurn | null> {
    this.context.chat.counts.flush();
    await waitAtMost(waitForUsageReport(this.context, turnId), usageWaitMs);
    const turn = this.context.chat.store.turn(turnId);
    if (turn?.status !== "running") return turn && this.#withBoot(turn);
    return { ...this.#withBoot(turn), lastSignAt: this.context.chat.turnHost.lastSignAt(turnId) };
  }

  async turns(page: number, pageSize: number): Promise<{ turns: ShownTurn[]; total: number }> {
    const { turns, total } = this.context.chat.store.turns(page, pageSize);
    return { turns: turns.map((turn) => this.#withBoot(turn)), total };
  }

  async showBoot(boot: Boot): Promise<void> {
    const turn = this.context.store.find()?.chat.turn ?? null;
    this.#boot = turn?.status === "pending" ? { turnId: turn.id, boot } : null;
    if (turn && this.#boot) this.context.chat.subscribers.showBoot(this.#withBoot(turn));
  }

  #withBoot(turn: Turn): ShownTurn {
    // Nobody is shown the schema, which may be large.
    const shown = { ...turn, resultSchema: null };
    return this.#boot?.turnId === turn.id ? { ...shown, boot: this.#boot.boot } : shown;
  }

  async cancel(turnId: string, by: Actor): Promise<{ settled: boolean } | Refusal> {
    return await cancel(this.context.chat, { turnId, by });
  }

  async stopSandbox(by: Actor): Promise<boolean> {
    return await stopSandbox(this.context, by);
  }

  async messages(): Promise<ReadableStream<Uint8Array>> {
    return toMessagesJson(this.context.chat.transcript, this.#createWireConverter());
  }

  async toolOutput(turnId: string, place: number): Promise<string | null> {
    const block = this.context.chat.conversation.findBlock(turnId, place);
    return block?.type === "tool" ? block.output : null;
  }

  async messagePage(request: MessagePageRequest): Promise<string> {
    return readMessagePage(this.context.chat, request, this.#createWireConverter());
  }

  async newestMessages(): Promise<string> {
    const most = { bytesMax: pageConversationBytes, messagesMax: pageConversationMessages };
    const { messages, hasEarlier } = this.context.chat.transcript.newest(most);
    const toWire = this.#createWireConverter();
    const shown = messages.map(({ message, firstPlace }) => ({ message: toWire(message), firstPlace }));
    return JSON.stringify({ messages: shown, hasEarlier } satisfies ShownConversation);
  }

  /** Creates what converts a message of this session to the form that clients get. */
  #createWireConverter() {
    const { id = "", projectId = "" } = this.context.store.find()?.session ?? {};
    return (message: Parameters<typeof toWireMessage>[1]) => toWireMessage({ id, projectId }, message);
  }

  async checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null> {
    return checkTool(this.context, claim, tool);
  }

  override async runTool(turnId: string, call: ToolCall) {
    return await runTool(this.context, turnId, call);
  }

  override async handleEvent(event: CodeHostEvent | CheckoutEvent): Promise<Refusal | null> {
    return this.context.decide(service, (state, now) => handleCodeHostEvent(state, event, now));
  }

  async reviewComments(command: CommentCommand, repeat: Idempotency | null = null) {
    return handleComments(this.context, command, repeat);
  }

  async branchHeads(moved: { oldId: string; newId: string } | null) {
    return this.context.branchHeads.read(moved);
  }

  async attemptPush(move: { oldId: string; newId: string }) {
    return this.context.branchHeads.attempt(move);
  }

  async commit(request: CommitRequest, repeat: Idempotency | null) {
    return await commitInCheckout(this.context, request, repeat);
  }

  async push(request: PushRequest, repeat: Idempotency | null) {
    return await pushFromCheckout(this.context, request, repeat);
  }

  async findResult(repeat: Idempotency) {
    return this.context.results.find<string | StartResult>(repeat, Date.now());
  }

  async saveResult(repeat: Idempotency, result: string) {
    return this.context.once.decide(repeat, () => result);
  }

  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    return isTurnLive(this.context, claim);
  }

  protected override refuseCall(payer: Payer): CallFailure | null {
    return checkSpend(this.context, payer);
  }

  async forgetLogins(): Promise<void> {
    this.context.chat.logins.forget();
  }

  override async endDisconnected(gone: Disconnection): Promise<void> {
    this.context.decide(service, (state, now) => endDisconnected(state, { gone, nextTurnId: createId(now) }, now));
  }

  override async deletePerson(person: DeletedPerson): Promise<void> {
    this.context.decide(service, (state, now) => releaseFromDeleted(state, person, now));
    await super.deletePerson(person);
    await waitAtMost(this.context.shell.settled({ type: "index-session" }), indexWaitMs);
  }

  async isOpen(): Promise<boolean> {
    const { session } = this.context.store.find() ?? {};
    return session !== undefined && isOpen(session.status);
  }
}
