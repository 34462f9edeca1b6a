// The session object: one per chat session, and the authority on its turns, its messages and Up next.
import { DurableObject } from "cloudflare:workers";
import migrations from "../migrations/session/migrations.js";
import type { Env } from "../src/env.ts";
import { newId } from "../src/ids.ts";
import { catalog } from "../src/models/catalog.ts";
import { messageOnWire } from "../src/resources/message.ts";
import { decided } from "../src/rules/decision.ts";
import { type Delivery, send } from "../src/rules/delivery.ts";
import { type ModelCircumstances, preferredModel } from "../src/rules/model.ts";
import { isRefusal, type Refusal, refuse } from "../src/rules/refusal.ts";
import { beginSession, type NewSession, type SessionState } from "../src/rules/session.ts";
import { isUnfinished, type Turn } from "../src/rules/turn.ts";
import { cancelTurn } from "../src/rules/turn-end.ts";
import { resumeUpNext } from "../src/rules/up-next.ts";
import { openConversation } from "./conversation.ts";
import { messagesAsJson } from "./conversation-stream.ts";
import { openDatabase } from "./database.ts";
import { createEndings } from "./endings.ts";
import type { Begun, FirstMessage, SendOrder, SessionRule, SessionShell } from "./session-calls.ts";
import { mindSessionReminder, performSessionEffect, type SessionActing } from "./session-effects.ts";
import { openSessionStore } from "./session-store.ts";
import { openSessionTurnHost } from "./session-turn-host.ts";
import { createShell } from "./shell.ts";
import type { TurnLinkClaim } from "./turn-host.ts";

const noSession = refuse("NOT_FOUND", "There is no such session.");
/** How long a cancel waits for the sandbox's word before it answers. */
const cancelWaitMs = 900;

export class SessionObject extends DurableObject<Env> {
  readonly #db = openDatabase(this.ctx, migrations);
  readonly #conversation = openConversation(this.#db);
  readonly #store = openSessionStore(this.#db, this.#conversation);
  readonly #shell: SessionShell = createShell(this.ctx, this.#db, {
    load: () => this.#store.find(),
    save: (before, after) => after && this.#store.save(before, after),
    perform: (effect) => performSessionEffect(this.#acting, effect),
    remind: (name) => mindSessionReminder(this.#acting, name),
  });
  readonly #turns = {
    store: this.#store,
    conversation: this.#conversation,
    decide: (turnId: string, rule: SessionRule<unknown>) => void this.#end(turnId, rule),
  };
  readonly #turnHost = openSessionTurnHost(this.ctx, this.#db, {
    ...this.#turns,
    watchBy: (at) => this.#shell.remindBy("watch-turn", at),
  });
  readonly #acting: SessionActing = { ...this.#turns, env: this.env, turnHost: this.#turnHost };
  readonly #endings = createEndings();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => this.#shell.resume());
  }

  /** Begins the session, and its first turn when a first message comes with it. Answers once lists can show it. */
  async begin(command: NewSession, first: FirstMessage | null): Promise<Begun | Refusal> {
    const begun = this.#shell.decide((state, now) =>
      state ? decided(state, state.session) : beginSession(command, now),
    );
    if (isRefusal(begun)) return begun;
    const delivery = first && (await this.send(first.order, first.circumstances));
    if (isRefusal(delivery)) return delivery;
    await this.#shell.settled("project-session");
    const state = this.#store.find();
    return state ? { state, delivery } : noSession;
  }

  async read(): Promise<SessionState | Refusal> {
    return this.#store.find() ?? noSession;
  }

  async send(order: SendOrder, circumstances: ModelCircumstances): Promise<Delivery | Refusal> {
    const seen = order.runningTurnId === null ? null : this.#store.turn(order.runningTurnId);
    const facts = { ...circumstances, catalog, runningTurnWasStopped: seen?.status === "cancelled" };
    const ids = { messageId: newId(), turnId: newId() };
    return this.#decide((state, now) => send(state, { ...order, ...ids }, facts, now));
  }

  async turn(turnId: string): Promise<Turn | null> {
    return this.#store.turn(turnId);
  }

  async turns(page: number, pageSize: number): Promise<{ turns: Turn[]; total: number }> {
    return this.#store.turns(page, pageSize);
  }

  /** Stops a turn. Answers when it is over, or when the sandbox has been asked and does not answer at once. */
  async cancel(turnId: string): Promise<{ settled: boolean } | Refusal> {
    const answer = this.#end(turnId, (state, now) => cancelTurn(state, { turnId, nextTurnId: newId(now) }, now));
    if (isRefusal(answer) || answer.settled) return answer;
    await this.#endings.wait(turnId, cancelWaitMs);
    return { settled: !isUnfinished(this.#store.turn(turnId)) };
  }

  async resumeUpNext(circumstances: ModelCircumstances): Promise<Refusal | null> {
    const { assigneeDefaultModel, workspaceDefaultModel, runnable } = circumstances;
    const modelIfNone = preferredModel([assigneeDefaultModel, workspaceDefaultModel], { catalog, runnable });
    return this.#decide((state, now) => resumeUpNext(state, { turnId: newId(now), modelIfNone }, now));
  }

  async messages(): Promise<ReadableStream<Uint8Array>> {
    return messagesAsJson(this.#conversation, messageOnWire);
  }

  /** Refuses while a turn runs (Part 1, "Files and commits": JOB_ACTIVE). */
  async refuseWhileTurnRuns(): Promise<Refusal | null> {
    return isUnfinished(this.#store.find()?.turn ?? null) ? refuse("JOB_ACTIVE") : null;
  }

  /** True while the turn may call a model or push: it is unfinished, nobody asked it to stop, and no newer sandbox has it. */
  async isTurnLive(claim: TurnLinkClaim): Promise<boolean> {
    const turn = this.#store.turn(claim.turnId);
    return isUnfinished(turn) && turn.stopRequestedAt === null && claim.generation >= turn.generation;
  }

  /** Wakes the object, so that it takes up what an earlier life left; for the sweep. */
  async poke(): Promise<void> {}

  override async fetch(request: Request): Promise<Response> {
    const { turnId, generation } = JSON.parse(request.headers.get("x-turn-link") ?? "null") as TurnLinkClaim;
    return this.#turnHost.accept({ turnId, generation });
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    this.#turnHost.message(socket, frame);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    this.#turnHost.closed(socket);
  }

  override async alarm(): Promise<void> {
    await this.#shell.alarm();
  }

  #decide<Answer>(rule: SessionRule<Answer>): Answer | Refusal {
    return this.#shell.decide((state, now) => (state ? rule(state, now) : noSession));
  }

  /** Lets a rule decide that may end a turn, and tells whoever waits for that. */
  #end<Answer>(turnId: string, rule: SessionRule<Answer>): Answer | Refusal {
    const answer = this.#decide(rule);
    if (!isUnfinished(this.#store.turn(turnId))) this.#endings.tell(turnId);
    return answer;
  }
}
