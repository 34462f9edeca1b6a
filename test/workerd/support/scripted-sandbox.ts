// A sandbox object that follows the test's instructions: it accepts turns, refuses them or does not
// respond, and records the calls.
import { DurableObject } from "cloudflare:workers";
import type { SandboxUp } from "../../../durable-objects/sandbox/rpc.ts";
import type { TurnSigns } from "../../../src/chat/rules/watchdog.ts";
import type { SandboxStatus } from "../../../src/preview/rules/preview.ts";
import type { ProjectSettings, StoredValue } from "../../../src/project/rules/settings.ts";
import { type Refusal, refuse } from "../../../src/rules/refusal.ts";
import type { Reclaimed } from "../../../src/sandbox/rules/delete-unused.ts";
import type { CompactionRequest, TurnHandover, TurnRequest } from "../../../src/sandbox/turn-request.ts";
import type { Compacted, GitCommitted } from "../../../src/sandbox-protocol/protocol.ts";

/** `waits` does not respond until the test changes it. */
export type SandboxManner = "takes" | "refuses" | "throws" | "lacks-conversation" | "waits";

/** When a sandbox that is still used would have been unused for long. */
export const unusedUntil = 4_000_000_000_000;

function taken(): TurnHandover {
  const now = Date.now();
  return { taken: true, phases: { runningAt: now, credentialsReadyAt: now, requestedAt: now } };
}

export class ScriptedSandbox extends DurableObject {
  readonly #kv = this.ctx.storage.kv;
  #told = Promise.withResolvers<void>();

  async behave(manner: SandboxManner, look: Omit<TurnSigns, "lastSignAt"> = { sandbox: "running" }): Promise<void> {
    this.#kv.put("manner", manner);
    this.#kv.put("look", look);
    this.#told.resolve();
    this.#told = Promise.withResolvers();
  }

  async asked(): Promise<string[]> {
    return this.#all("asked");
  }

  async requests(): Promise<TurnRequest[]> {
    return this.#all("order");
  }

  async startTurn(order: TurnRequest): Promise<TurnHandover> {
    this.#note(`start ${order.turnId}`);
    this.#add("order", order);
    switch (await this.#manner()) {
      case "takes":
        return taken();
      case "refuses":
        return { taken: false, conversationMissing: false, error: "no room in the sandbox" };
      case "throws":
        throw new Error("told to throw");
      case "lacks-conversation":
        return order.conversation.handover === null && !order.conversation.isNew
          ? { taken: false, conversationMissing: true }
          : taken();
    }
  }

  async stopTurn(turnId: string): Promise<boolean> {
    this.#note(`stop ${turnId}`);
    return (await this.probe()).sandbox === "running";
  }

  async release(turnId: string): Promise<void> {
    this.#note(`release ${turnId}`);
  }

  async discard(generation: number): Promise<void> {
    this.#note(`discard ${generation}`);
  }

  async stopGracefully(): Promise<void> {
    this.#note("retire");
  }

  async waitUntilStopped(): Promise<boolean> {
    return true;
  }

  async destroy(): Promise<void> {
    this.#note("destroy");
  }

  async compact({ commandId }: CompactionRequest): Promise<Compacted | Refusal> {
    this.#note(`compact ${commandId}`);
    switch (await this.#manner()) {
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

  async commit(): Promise<GitCommitted> {
    return { sha: "c".repeat(40) };
  }

  async bringUp(): Promise<SandboxUp> {
    this.#note("bring up");
    this.#breakIfTold();
    return { generation: 1, setupFailure: null };
  }

  async status(): Promise<SandboxStatus> {
    const generation = this.#count() > 0 ? 1 : 0;
    const life = { state: "running", generation, resumesOnVisit: true, isResetting: false } as const;
    return { ...life, services: [], layout: [] };
  }

  async refreshSettings(): Promise<null> {
    return null;
  }

  async saveSettings(settings: ProjectSettings<StoredValue>): Promise<void> {
    this.#add("settings", settings);
  }

  async savedSettings(): Promise<ProjectSettings<StoredValue>[]> {
    return this.#all("settings");
  }

  async warm(): Promise<void> {
    this.#note("warm");
    this.#breakIfTold();
  }

  /** One that was never called does not exist. */
  async isLost(): Promise<boolean> {
    return (await this.asked()).length === 0;
  }

  /** One that is to be deleted was unused for long enough. */
  async reclaim(): Promise<Reclaimed> {
    const removed = (await this.probe()).sandbox === "gone";
    return removed ? { removed } : { removed, dueAt: unusedUntil };
  }

  async probe(): Promise<Omit<TurnSigns, "lastSignAt">> {
    return this.#kv.get<Omit<TurnSigns, "lastSignAt">>("look") ?? { sandbox: "running" };
  }

  #breakIfTold(): void {
    if (this.#kv.get<SandboxManner>("manner") === "throws") throw new Error("told to throw");
  }

  async #manner(): Promise<Exclude<SandboxManner, "waits">> {
    for (;;) {
      const manner = this.#kv.get<SandboxManner>("manner") ?? "takes";
      if (manner !== "waits") return manner;
      await this.#told.promise;
    }
  }

  #note(text: string): void {
    this.#add("asked", text);
  }

  #add(kind: string, what: unknown): void {
    const count = this.#count();
    this.#kv.put("count", count + 1);
    this.#kv.put(`${kind}:${String(count).padStart(6, "0")}`, what);
  }

  #count(): number {
    return this.#kv.get<number>("count") ?? 0;
  }

  #all<What>(kind: string): What[] {
    return [...this.#kv.list<What>({ prefix: `${kind}:` })].map(([, what]) => what);
  }
}
