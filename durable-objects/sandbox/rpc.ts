// The face of a sandbox object: every call that others make on it. The class implements it; whoever calls knows this page alone.

import type { TurnSigns } from "../../src/rules/chat/watchdog.ts";
import type { PreviewUnavailable, SandboxStatus } from "../../src/rules/preview/preview.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox/checkout-query.ts";
import type { CompactionRequest } from "../../src/sandbox/compaction-request.ts";
import type { Compacted, FileWrite, GitCommit, GitCommitted } from "../../src/sandbox/protocol.ts";
import type { TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";

/** What a wake came to; `held` by a pause that takes long. */
export type PreviewWake = "running" | "starting" | "held" | Refusal;

/** The sandbox object: one per sandbox key, and the authority on its life. `fetch` carries a preview request to a port. */
export interface SandboxRpc extends Rpc.DurableObjectBranded {
  /** Wakes the sandbox and hands it a turn. Throws when it should be tried again. */
  startTurn(request: TurnRequest): Promise<TurnHandover>;
  /** Ends a turn's agent and processes. False when there is no sandbox, so that there is nothing to end. */
  stopTurn(turnId: string): Promise<boolean>;
  /** A turn is over. */
  release(turnId: string): Promise<void>;
  /** Ends the sandbox of a generation with all that was not saved. */
  discard(generation: number): Promise<void>;
  /** Wakes the sandbox and has it summarize the agent's conversation. Throws when it should be tried again. */
  compact(request: CompactionRequest): Promise<Compacted | Refusal>;
  /** Nobody works in it for now: the work is saved and the process ended behind the answer. Null when neither is there. */
  stopGracefully(): Promise<number | null>;
  /** Whether a generation that was retired came to its end; answers as soon as that is known. */
  hasStopped(generation: number): Promise<boolean>;
  /** The session is deleted: process, slot and saved work go behind the answer, and no sandbox comes any more. */
  destroy(): Promise<void>;
  /** True while the sandbox of this generation starts, runs or is being paused. Never wakes it. */
  isGenerationAlive(generation: number): Promise<boolean>;
  /** What can be said of the sandbox without waking it. */
  probe(): Promise<Omit<TurnSigns, "lastSignAt">>;
  /** Wakes the sandbox for whoever wants to see it. Waits while a missing one is created; a paused one comes back behind the answer. */
  wakeForPreview(owner: SandboxOwner): Promise<PreviewWake>;
  /** Why nothing took a preview request. A visit by leave of the owner may wake the sandbox; without one, nothing does. */
  missed(visited: SandboxOwner | null): Promise<PreviewUnavailable>;
  /** What can be seen of the sandbox and its services. Never wakes it. */
  status(): Promise<SandboxStatus>;
  /** What can be read of the checkout of a running sandbox. Never wakes it. */
  readCheckout(question: CheckoutQuery): Promise<CheckoutAnswer | Refusal>;
  /** Reads a file of a running sandbox; `asleep` is said where it does not run. */
  readFile(path: string, asleep: string): Promise<string | Refusal>;
  /** Replaces a file of a running sandbox; `asleep` is said where it does not run. */
  writeFile(write: FileWrite, asleep: string): Promise<Refusal | null>;
  /** Commits every change; wakes the sandbox. */
  commit(owner: SandboxOwner, message: string, author: GitCommit["author"]): Promise<GitCommitted | Refusal>;
  /** Pushes the branch for a member, or for an agent that acts as nobody; wakes the sandbox. */
  push(owner: SandboxOwner, memberId: string | null): Promise<Refusal | null>;
  /** Restarts the services behind the answer, in a sandbox that runs. */
  reset(): Promise<Refusal | null>;
  /** Saves the work now; whoever is about to end the sandbox's host asks for it. */
  saveWork(): Promise<void>;
}

/** The container object: one per sandbox key, and in production alone. `fetch` carries a request to a port of the container. */
export interface ContainerRpc extends Rpc.DurableObjectBranded {
  startProgram(secret: string): Promise<void>;
  endProgram(): Promise<void>;
  isRunning(): Promise<boolean>;
}
