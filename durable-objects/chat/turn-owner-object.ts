// The object that hosts the turns of a chat: the part that a session, a project and a cron run
// share. RPC reaches the methods of a class, but never its fields.

import { service } from "../../src/access/rules/actor.ts";
import type { ProductToolName, ToolAnswer } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { type Disconnection, endDisconnected } from "../../src/chat/rules/turn-payer.ts";
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import { type CallFailure, turnOver } from "../../src/model-gateway/rules/failure.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { CheckoutEvent, CodeHostEvent } from "../../src/session/rules/pull-request/code-host-event.ts";
import { deletePersonFromTables } from "../object/delete-person.ts";
import { ServiceObject } from "../object/service-object.ts";
import type { Shell } from "../object/shell.ts";
import type { Chat } from "./chat.ts";
import { countCall, startModelCall } from "./model-calls.ts";
import { findDisconnection, stopTurnOf } from "./person-turn.ts";
import type {
  AnsweredCall,
  CallPayer,
  CallRefused,
  OpenCall,
  SubscribeRequest,
  ToolCall,
  TurnOwnerRpc,
} from "./rpc.ts";

/** What the shared calls work with. */
export interface TurnOwnerContext {
  chat: Chat;
  store: { invalidate(): void };
  shell: Pick<Shell<unknown, { type: "index-usage"; id: string }>, "alarm" | "rearm" | "retryParked" | "settled">;
}

export abstract class TurnOwnerObject extends ServiceObject implements TurnOwnerRpc {
  protected abstract readonly context: TurnOwnerContext;

  abstract isTurnLive(claim: TurnLinkClaim): Promise<boolean>;
  abstract isOpen(): Promise<boolean>;
  abstract checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null>;

  async runTool(_turnId: string, _call: ToolCall): Promise<ToolAnswer | Refusal> {
    return refuse("FORBIDDEN", "This agent has no such tool.");
  }

  async handleEvent(_event: CodeHostEvent | CheckoutEvent): Promise<Refusal | null> {
    return null;
  }

  async startModelCall(claim: TurnLinkClaim, at: CallPayer): Promise<OpenCall | CallRefused> {
    const failure = (await this.isTurnLive(claim)) ? this.refuseCall(at.payer) : turnOver;
    return failure === null ? startModelCall(this.context, claim.turnId, at) : { type: "refused", ...failure };
  }

  /** The owner's reason to refuse a model call of a live turn; null without one. */
  protected refuseCall(_payer: Payer): CallFailure | null {
    return null;
  }

  async countCall(call: AnsweredCall): Promise<void> {
    await countCall(this.context, call);
  }

  async endDisconnected(gone: Disconnection): Promise<void> {
    this.context.chat.owner.decide(service, (chat, now) => endDisconnected(chat, gone, now));
  }

  async deletePerson(person: DeletedPerson): Promise<void> {
    const { chat, store } = this.context;
    const gone = findDisconnection(chat, person.id);
    if (gone) await this.endDisconnected(gone);
    await stopTurnOf(chat, person.id);
    deletePersonFromTables(this.ctx.storage, person);
    store.invalidate();
  }

  async lastReadAt(): Promise<number | null> {
    return this.context.chat.subscribers.lastReadAt();
  }

  async wake(): Promise<void> {
    await this.context.shell.rearm();
  }

  async retryParked(): Promise<number> {
    return await this.context.shell.retryParked();
  }

  /** Opens the link of a turn, or a subscription to live events. A header distinguishes the two. */
  override async fetch({ headers }: Request): Promise<Response> {
    const { turnHost, subscribers } = this.context.chat;
    const claim = headers.get("x-turn-link");
    if (claim !== null) {
      const { turnId, generation } = JSON.parse(claim) as TurnLinkClaim;
      return turnHost.accept({ turnId, generation });
    }
    const request = headers.get("x-live-subscription");
    if (request === null) return new Response("a turn link, or a subscriber of live events", { status: 400 });
    return subscribers.accept(JSON.parse(request) as SubscribeRequest);
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const { turnHost, subscribers } = this.context.chat;
    try {
      if (subscribers.owns(socket)) subscribers.message(socket, frame);
      else turnHost.message(socket, frame);
    } catch (error) {
      // The sender reconnects and sends again what was not stored.
      socket.close(1011, "this could not be taken");
      throw error;
    }
    subscribers.publish();
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    const { turnHost, subscribers } = this.context.chat;
    if (subscribers.owns(socket)) subscribers.closed(socket);
    else turnHost.closed(socket);
  }

  override async alarm(): Promise<void> {
    await this.context.shell.alarm();
  }
}
