// The interface of a sandbox object: every call that others make on it. Callers import only this
// file.

import type { TurnSigns } from "../../src/chat/rules/watchdog.ts";
import type { NetworkInForce, SeenHost } from "../../src/network/rules/network.ts";
import type { PreviewUnavailable, SandboxStatus } from "../../src/preview/rules/preview.ts";
import type { ServiceLogPart, ServiceLogQuery } from "../../src/preview/rules/service-log.ts";
import type { ProjectSettings, ServiceLayout, StoredValue } from "../../src/project/rules/settings.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { HeldNetwork } from "../../src/sandbox/program/driver.ts";
import type { Reclaimed } from "../../src/sandbox/rules/delete-unused.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { CompactionRequest, TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import type { CheckoutAnswer, CheckoutQuery } from "../../src/sandbox-protocol/checkout-query.ts";
import type {
  Compacted,
  FileWrite,
  Followed,
  GitCommit,
  GitCommitted,
  WorkState,
} from "../../src/sandbox-protocol/protocol.ts";

/**
 * The outcome of a wake. `held`: a pause takes too long to wait for. `lost`: nothing of a main
 * sandbox is left to wake.
 */
export type PreviewWake = "running" | "starting" | "held" | "lost" | Refusal;

/** A clone that reads the work: the commits that it has, and the id of the work that it has. */
export interface WorkReader {
  have: readonly string[];
  known: string | null;
}

/** The work of a checkout as a git bundle; no bundle if the reader has the same work. */
export interface SentWork {
  work: string;
  bundle: ReadableStream<Uint8Array> | null;
}

/** A sandbox that was brought up. */
export interface SandboxUp {
  generation: number;
  /** The setup command that failed, with the end of its output, if an agent is to fix it. */
  setupFailure: string | null;
}

export interface SandboxLayout {
  /** The services with their endpoints; null if the sandbox does not run. */
  services: ServiceLayout[] | null;
  /** True while a reset restarts the services. */
  isResetting: boolean;
  /** How long it stays up after its last work if nobody looks, in milliseconds. */
  awayHoldMs: number;
}

/**
 * The sandbox object: one per sandbox key, and the authority on its life. `fetch` forwards a
 * preview request to a port of the sandbox, and responds with 503 and `x-sandbox-unreachable` if
 * nothing accepts it. A request with a grant opens a terminal.
 */
export interface SandboxRpc extends Rpc.DurableObjectBranded {
  /** Wakes the sandbox and hands it a turn. Throws if the attempt must be repeated. */
  startTurn(request: TurnRequest): Promise<TurnHandover>;
  /** Ends a turn's agent and processes. Returns false if no sandbox runs. */
  stopTurn(turnId: string): Promise<boolean>;
  /** Releases the sandbox from a turn that has ended. */
  release(turnId: string): Promise<void>;
  /** Ends a generation of the sandbox without saving. */
  discard(generation: number): Promise<void>;
  /**
   * Wakes the sandbox and has it summarize the agent's conversation. Throws if the attempt must be
   * repeated.
   */
  compact(request: CompactionRequest): Promise<Compacted | Refusal>;
  /**
   * Starts to save the work and end the process. Returns the generation that stops; null if none
   * runs.
   */
  stopGracefully(): Promise<number | null>;
  /** Waits until a generation has stopped. Returns false if it was kept awake. */
  waitUntilStopped(generation: number): Promise<boolean>;
  /**
   * Deletes process, slot and saved work after the response, because the session is deleted. The
   * sandbox cannot be started again.
   */
  destroy(): Promise<void>;
  /** True while the sandbox of this generation starts, runs or is being paused. Never wakes it. */
  isGenerationAlive(generation: number): Promise<boolean>;
  /**
   * True while the container that started in this generation is the sandbox's current one. Never
   * wakes the sandbox.
   */
  isContainerWanted(generation: number | null): Promise<boolean>;
  /** Probes whether the sandbox runs, without waking it. */
  probe(): Promise<Omit<TurnSigns, "lastSignAt">>;
  /** Brings the sandbox up and waits for it. A running sandbox is only probed. */
  bringUp(owner: SandboxOwner): Promise<SandboxUp | Refusal>;
  /**
   * True if nothing of the sandbox is left to wake: it was lost before a save, reclaimed or
   * deleted, or its saved work cannot be restored.
   */
  isLost(): Promise<boolean>;
  /**
   * Deletes a paused main sandbox that was unused for long. Otherwise returns when that will be the
   * case.
   */
  reclaim(): Promise<Reclaimed>;
  /**
   * Updates a running sandbox's checkout to the newest commit of its base branch. Refused with
   * JOB_ACTIVE while a turn runs.
   */
  followTargetBranch(owner: SandboxOwner): Promise<Followed | "asleep" | Refusal>;
  /**
   * Restores a lost alarm, records a sandbox that has stopped unnoticed, and retires one whose
   * program is outdated.
   */
  checkLife(): Promise<void>;
  /** Retries the parked effects, and returns how many there are. */
  retryParked(): Promise<number>;
  /**
   * Deletes the saved work after the response, because the session ended long ago. The changes of
   * the checkout can still be read.
   */
  deleteWork(): Promise<void>;
  /**
   * Wakes the sandbox for a preview. Waits for a new sandbox. A paused one resumes after the
   * response.
   */
  wakeForPreview(owner: SandboxOwner): Promise<PreviewWake>;
  /** What a preview of the sandbox shows. */
  layout(): Promise<SandboxLayout>;
  /**
   * Why no service accepted a preview request. Only a visit that the owner allows may wake the
   * sandbox.
   */
  explainUnreachable(visited: SandboxOwner | null): Promise<PreviewUnavailable>;
  /** The status of the sandbox and its services. Never wakes it. */
  status(): Promise<SandboxStatus>;
  /** The network that the sandbox is held to; null if it does not run. Never wakes it. */
  findNetwork(): Promise<HeldNetwork | null>;
  /**
   * Responds to a query of the checkout, without waking the sandbox. If it does not run, the result
   * is empty, or comes from the saved changes.
   */
  readCheckout(query: CheckoutQuery): Promise<CheckoutAnswer | Refusal>;
  /** Reads a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  readFile(path: string, asleep: string): Promise<string | Refusal>;
  /** Replaces a file of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  writeFile(write: FileWrite, asleep: string): Promise<Refusal | null>;
  /** Reads the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  readWork(reader: WorkReader, asleep: string): Promise<SentWork | Refusal>;
  /** Replaces the work of a running sandbox. Refused with `asleep` if the sandbox does not run. */
  writeWork(expected: string, bundle: ReadableStream<Uint8Array>, asleep: string): Promise<WorkState | Refusal>;
  /** Commits every change. Wakes the sandbox. */
  commit(owner: SandboxOwner, message: string, author: GitCommit["author"]): Promise<GitCommitted | Refusal>;
  /** Pushes the branch for a member, or for an agent that acts for no member. Wakes the sandbox. */
  push(owner: SandboxOwner, memberId: string | null): Promise<Refusal | null>;
  /** The newest output of a service. Refused with `asleep` if the sandbox does not run. */
  serviceLog(query: ServiceLogQuery, asleep: string): Promise<ServiceLogPart | Refusal>;
  /** Restarts the services of a running sandbox after the response. */
  reset(): Promise<Refusal | null>;
  /**
   * Makes a running main sandbox use the current settings. A sandbox that does not run takes them
   * when it wakes.
   */
  refreshSettings(owner: SandboxOwner): Promise<Refusal | null>;
  /** The settings that the sandbox works with; null if the project is gone. Never wakes it. */
  findSettings(projectId: string): Promise<ProjectSettings | null>;
  /** Stores the settings that a tool of the running turn applies. */
  saveSettings(settings: ProjectSettings<StoredValue>): Promise<void>;
  /** Loads the pages of the public endpoints once. */
  warm(): Promise<void>;
  /**
   * Saves the work now, because the sandbox's host is about to end. Returns false if some of it may
   * be only on the sandbox's disk.
   */
  saveWork(): Promise<boolean>;
}

/**
 * The container object, used only in production: one for each generation of a sandbox that started
 * a container. `fetch` forwards a request to a port of the container.
 */
export interface ContainerRpc extends Rpc.DurableObjectBranded {
  /** Starts the program, held to a network. Throws if nothing here holds it. */
  startProgram(secret: string, network: NetworkInForce): Promise<void>;
  endProgram(): Promise<void>;
  isRunning(): Promise<boolean>;
  /** The network that the running container is held to; null if it does not run. */
  findNetwork(): Promise<HeldNetwork | null>;
  /** Adds a host that the container asked for. */
  recordSeen(seen: SeenHost): Promise<void>;
}
