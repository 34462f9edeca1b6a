// A cron run: one turn of the Cron Agent in the main sandbox of a project. The turn has the id of
// the run. The end of a run is decided once.
import { type ChatDecision, type ChatState, createChatState } from "../../chat/rules/chat.ts";
import { createTextMessage } from "../../chat/rules/message.ts";
import { isUnfinished, startTurn } from "../../chat/rules/turn.ts";
import { endTurn, type TurnEnd } from "../../chat/rules/turn-end.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { ChatEffect, CronRunEffect } from "../../rules/effect.ts";
import { diagnosticsLogLifetimeMs, longestCronRunMs } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { RunBounds } from "./last-writer.ts";
import { isCountedStop, type RunEnded } from "./run-end.ts";
import type { CronRunStatus, NewRun, RunStop, RunStopSource } from "./run-status.ts";

export interface CronRun {
  id: string;
  cronId: string;
  cronName: string;
  workspaceId: string;
  /** The user id of the cron's creator. */
  createdBy: string;
  /** The limits of its rights. */
  bounds: RunBounds;
  projectId: string;
  projectName: string;
  /** Null for a run that a person requested. */
  slot: number | null;
  model: string;
  mainSandboxKey: string;
  /** The branch of the main sandbox's checkout. */
  branch: string;
  status: Exclude<CronRunStatus, "skipped">;
  error: string | null;
  errorCode: string | null;
  stopSource: RunStopSource | null;
  stoppedBy: RunStop["by"];
  /** False for an end that is not counted. */
  isCounted: boolean;
  /** The error of the last attempt to start it; null if none failed. */
  startError: string | null;
  /** The version of its agent; null before the agent's first event. */
  agentVersion: string | null;
  mainWokenAt: number | null;
  credentialsReadyAt: number | null;
  agentRequestedAt: number | null;
  /** When it was decided and when it ended, in milliseconds since the epoch. */
  createdAt: number;
  completedAt: number | null;
}

export interface CronRunState {
  run: CronRun;
  chat: ChatState;
}

export type CronRunDecision<Result> = Decision<CronRunState | null, Result, CronRunEffect>;

/** The parameters with which a run object starts. */
export interface RunToBegin extends NewRun {
  cronId: string;
  cronName: string;
  workspaceId: string;
  createdBy: string;
  prompt: string;
  messageId: string;
}

/** The interval at which a run whose agent has not started is handed to its sandbox again. */
export const startAgainMs = 30_000;

/**
 * Starts a run. Once its key is in the database, `start-turn` requests its sandbox. A repeat
 * returns the same result.
 */
export function startRun(state: CronRunState | null, command: RunToBegin, now: number): CronRunDecision<null> {
  if (state !== null) return decided(state, null);
  const { runId: id, prompt, messageId, ...record } = command;
  const run: CronRun = {
    id,
    ...record,
    status: "running",
    error: null,
    errorCode: null,
    stopSource: null,
    stoppedBy: null,
    isCounted: true,
    startError: null,
    agentVersion: null,
    mainWokenAt: null,
    credentialsReadyAt: null,
    agentRequestedAt: null,
    completedAt: null,
  };
  const chat = createChatState({ model: run.model, conversationId: id });
  const author = { kind: "cron" as const, cronId: run.cronId, runId: id };
  const first = { turnId: id, messageId, body: createTextMessage(prompt), author, model: run.model };
  const started = startTurn(chat, first, now);
  return decided({ run, chat: started.state }, null, [
    ...ofRun(started.effects).filter(({ type }) => type !== "start-turn" && type !== "remind"),
    { type: "remind", name: "watch-turn", at: now + startAgainMs },
    { type: "remind", name: "deadline", at: run.createdAt + longestCronRunMs },
  ]);
}

/** Records phases of the start. */
export function recordPhases(
  state: CronRunState,
  phases: Partial<
    Pick<CronRun, "agentVersion" | "mainWokenAt" | "credentialsReadyAt" | "agentRequestedAt" | "startError">
  >,
): CronRunDecision<null> {
  return decided({ ...state, run: { ...state.run, ...phases } }, null);
}

/**
 * Ends a run that its agent has not ended. Refuses BAD_REQUEST for one that has ended, because the
 * first end counts.
 */
export function stopRun(state: CronRunState, stop: RunStop, now: number): CronRunDecision<null> {
  const { run } = state;
  if (run.status !== "running")
    return refuse("BAD_REQUEST", "This run has already ended, so there is nothing to stop.");
  const end: TurnEnd =
    stop.status === "cancelled"
      ? { status: "cancelled" }
      : { status: "failed", error: stop.error ?? "", errorCode: stop.errorCode };
  const ended = endTurn(state.chat, { turnId: run.id, end }, now);
  if (isRefusal(ended)) return ended;
  return over(ended.state, { ...run, ...endOfStop(stop) }, [{ type: "stop-turn", id: run.id }, ...ended.effects], now);
}

function endOfStop({ status, error, errorCode, source, by }: RunStop): Partial<CronRun> {
  return {
    status,
    error,
    errorCode,
    stopSource: source,
    stoppedBy: by,
    isCounted: isCountedStop({ source, errorCode }),
  };
}

/** Ends a run whose 60 minutes are over. */
export function endOverdueRun(state: CronRunState, now: number): CronRunDecision<null> {
  const { run } = state;
  if (run.status !== "running") return decided(state, null);
  const waited = run.startError === null ? "" : ` It could not be started: ${run.startError}`;
  const error = `The run reached the longest time a run may take, 60 minutes.${waited}`;
  return stopRun(state, { status: "failed", error, errorCode: "deadline", source: "deadline", by: null }, now);
}

/** The source of a chat's decision: the sandbox that runs the turn, or the turn's watchdog. */
export type ReportedBy = "sandbox" | "watchdog";

const lostSandbox =
  "The agent stopped responding, or the main sandbox stopped during the run. The next fire runs again.";
const endedBySandbox = "The sandbox ended the run. The next fire runs again.";

/** The run after a decision on its chat. If the decision ended the turn, the run ends too. */
export function applyChatDecision<Result>(
  state: CronRunState,
  decision: ChatDecision<Result>,
  by: ReportedBy,
  now: number,
): CronRunDecision<Result> {
  if (isRefusal(decision)) return decision;
  const { state: chat, result, effects } = decision;
  const { endedTurn: turn } = chat;
  if (turn === null) return decided({ ...state, chat }, result, ofRun(effects));
  const { error, errorCode } = turn;
  const ended: Partial<CronRun> =
    turn.status === "completed" || turn.status === "awaiting_response"
      ? { status: "succeeded" }
      : by === "watchdog"
        ? { status: "failed", error: lostSandbox, errorCode: "sandbox_lost", stopSource: "host_watch" }
        : turn.status === "cancelled"
          ? { status: "failed", error: endedBySandbox, errorCode: null, stopSource: "sandbox_abort" }
          : { status: "failed", error: formatAgentFailure(error), errorCode, stopSource: "runtime_error" };
  const settled = over(chat, { ...state.run, ...ended }, effects, now);
  return isRefusal(settled) ? settled : { ...settled, result };
}

/** Reports the end of a run again, because a list still shows it as running. */
export function sendEndAgain(state: CronRunState): CronRunDecision<null> {
  return decided(state, null, state.run.status === "running" ? [] : [{ type: "report-end" }]);
}

/** The end of a run as its cron receives it; null while it runs. */
export function findRunEnd({ id: runId, status, error, isCounted }: CronRun): RunEnded | null {
  return status === "running" ? null : { runId, status, error, isCounted };
}

/**
 * True while the run's agent may work: the run has not ended, and no newer generation of the
 * sandbox runs it.
 */
export function isRunLive({ chat: { turn } }: CronRunState, generation: number): boolean {
  return isUnfinished(turn) && generation >= turn.generation;
}

function over(chat: ChatState, run: CronRun, effects: readonly ChatEffect[], now: number): CronRunDecision<null> {
  return decided({ run: { ...run, completedAt: now }, chat }, null, [
    ...ofRun(effects),
    { type: "forget", name: "deadline" },
    { type: "remind", name: "forget-log", at: now + diagnosticsLogLifetimeMs },
    { type: "report-end" },
  ]);
}

/**
 * The effects of a chat that a run performs. The main sandbox is never discarded, because others
 * work in it.
 */
function ofRun(effects: readonly ChatEffect[]): CronRunEffect[] {
  return effects.flatMap((effect): CronRunEffect[] => {
    switch (effect.type) {
      case "start-turn":
      case "stop-turn":
      case "release-sandbox":
      case "index-usage":
      case "remind":
      case "forget":
        return [effect];
      default:
        return [];
    }
  });
}

const summaryCharacters = 200;

/** The summary of a Reply: its first line that is not empty; null if there is none. */
export function findSummary(reply: string): string | null {
  const start = reply.search(/\S/);
  if (start === -1) return null;
  const end = reply.indexOf("\n", start);
  const line = reply.slice(
    start,
    end === -1 ? start + summaryCharacters * 2 : Math.min(end, start + summaryCharacters * 2),
  );
  return [...line.trim()].slice(0, summaryCharacters).join("");
}

/** The refusal of an action that needs an existing run. */
export const noRun: Refusal = refuse("NOT_FOUND", "There is no such run of this cron.");

/** The advice that agents give in a session, and its replacement for a cron. */
const advice: [agent: RegExp, cron: string][] = [
  [
    /^The conversation no longer fits.*? a larger window\./,
    "Even compacted, the run does not fit into the model's context window. Ask for less in the prompt, or choose a model with a larger window.",
  ],
  [
    /^The model provider is overloaded\. .*? another model\./,
    "The model provider is overloaded. The next fire runs again, or choose another model.",
  ],
  [
    /^The login for this model has reached its limit\. .*? another model\./,
    "The workspace's login for this model has reached its limit. Wait until it resets, or choose another model.",
  ],
  [
    /^The model provider refused the login\. .*? another model\./,
    "The model provider refused the workspace's login. Ask an owner or admin to connect it again, or choose another model.",
  ],
  [
    / Send the message again in a moment(, or choose another model)?\./,
    " The next fire runs again, or choose another model.",
  ],
];

/**
 * The error of a run whose agent failed with this one, worded for the person who looks after the
 * cron. A run's message cannot be sent again, and its login belongs to the workspace, so the advice
 * for sessions is replaced. Text without such advice stays unchanged.
 */
export function formatAgentFailure(error: string | null): string | null {
  return advice.reduce((text, [agent, cron]) => text?.replace(agent, () => cron) ?? null, error);
}
