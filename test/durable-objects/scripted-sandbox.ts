// A sandbox object that does as it is told: it takes turns, refuses them or does not answer, and remembers what it was asked.
import { DurableObject } from "cloudflare:workers";
import { type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { TurnSigns } from "../../src/rules/watchdog.ts";
import type { CompactionOrder } from "../../src/sandbox/compaction-order.ts";
import type { Compacted } from "../../src/sandbox/protocol.ts";
import type { OrderOutcome, TurnOrder } from "../../src/sandbox/turn-order.ts";

export type SandboxManner = "takes" | "refuses" | "throws" | "lacks-conversation";

export class ScriptedSandbox extends DurableObject {
  readonly #kv = this.ctx.storage.kv;

  async behave(manner: SandboxManner, look: Omit<TurnSigns, "lastSignAt"> = { sandbox: "running" }): Promise<void> {
    this.#kv.put("manner", manner);
    this.#kv.put("look", look);
  }

  async asked(): Promise<string[]> {
    return this.#kv.get<string[]>("asked") ?? [];
  }

  async orders(): Promise<TurnOrder[]> {
    return this.#kv.get<TurnOrder[]>("orders") ?? [];
  }

  async startTurn(order: TurnOrder): Promise<OrderOutcome> {
    this.#note(`start ${order.turnId}`);
    this.#kv.put("orders", [...(this.#kv.get<TurnOrder[]>("orders") ?? []), order]);
    switch (this.#kv.get<SandboxManner>("manner") ?? "takes") {
      case "takes":
        return { taken: true };
      case "refuses":
        return { taken: false, conversationMissing: false, error: "no room in the sandbox" };
      case "throws":
        throw new Error("told to throw");
      case "lacks-conversation":
        return order.conversation.handover === null && !order.conversation.isNew
          ? { taken: false, conversationMissing: true }
          : { taken: true };
    }
  }

  async stopTurn(turnId: string): Promise<void> {
    this.#note(`stop ${turnId}`);
  }

  async release(turnId: string): Promise<void> {
    this.#note(`release ${turnId}`);
  }

  async discard(generation: number): Promise<void> {
    this.#note(`discard ${generation}`);
  }

  async retire(): Promise<void> {
    this.#note("retire");
  }

  async destroy(): Promise<void> {
    this.#note("destroy");
  }

  async compact({ commandId }: CompactionOrder): Promise<Compacted | Refusal> {
    this.#note(`compact ${commandId}`);
    switch (this.#kv.get<SandboxManner>("manner") ?? "takes") {
      case "takes":
        return { compacted: true };
      case "refuses":
        return refuse("SERVICE_UNAVAILABLE", "no room in the sandbox");
      case "throws":
        throw new Error("told to throw");
      case "lacks-conversation":
        return { compacted: false };
    }
  }

  async look(): Promise<Omit<TurnSigns, "lastSignAt">> {
    return this.#kv.get<Omit<TurnSigns, "lastSignAt">>("look") ?? { sandbox: "running" };
  }

  #note(text: string): void {
    this.#kv.put("asked", [...(this.#kv.get<string[]>("asked") ?? []), text]);
  }
}
