// Random runs of a project's rules: what members, the deploy agent, its sandboxes and the clock do,
// in random order. The reminders and the stored effects are kept as the object keeps them, so a
// step happens only where the object could make it. The state is frozen, so a rule that changes its
// input throws.

import { toSettledChat } from "../../src/chat/rules/chat.ts";
import { createTextMessage } from "../../src/chat/rules/message.ts";
import { deleteQueued, moveQueuedMessage } from "../../src/chat/rules/queue.ts";
import { recordSteerTaken, steer } from "../../src/chat/rules/steer.ts";
import { stopOverdue } from "../../src/chat/rules/stop.ts";
import { recordTurnStart } from "../../src/chat/rules/turn.ts";
import { endTurn } from "../../src/chat/rules/turn-end.ts";
import { type TurnSigns, watchTurn } from "../../src/chat/rules/watchdog.ts";
import { type PhaseOutcome, recordPhaseDone, recordPhaseOverdue } from "../../src/deploy/rules/phase.ts";
import { fromChatDecision, type ProjectState } from "../../src/deploy/rules/project-state.ts";
import { endLeaving } from "../../src/deploy/rules/promotion.ts";
import { resumeDeployQueue, sendQueuedToDeploy } from "../../src/deploy/rules/queue.ts";
import { recoverMain } from "../../src/deploy/rules/recovery.ts";
import { sendToDeploy } from "../../src/deploy/rules/send.ts";
import { startDeploy } from "../../src/deploy/rules/start.ts";
import { stopDeploy } from "../../src/deploy/rules/stop.ts";
import { applyChatDecision } from "../../src/deploy/rules/turn-end.ts";
import { type Decision, decided } from "../../src/rules/decision.ts";
import type { ProjectEffect } from "../../src/rules/effect.ts";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import { noSpend } from "../../src/usage/rules/spend-limit.ts";
import { project } from "./deploy-state.ts";
import { type RandomSource, randomSource } from "./random-source.ts";
import { byMember, now as firstTime } from "./session-state.ts";
import { turnEnds } from "./turn-ends.ts";

const actions = [
  ...(["start", "recover", "message", "stop", "work", "late-work", "clock", "turn-begins", "turn-ends"] as const),
  ...(["late-turn-end", "watch", "write-settings", "send-now", "resume", "delete", "move", "steer"] as const),
  ...(["steer-taken"] as const),
];
export type DeployAction = (typeof actions)[number];

/** What the object would do without anybody: reminders by name, and the phase that is worked on. */
export interface Armed {
  reminders: ReadonlyMap<string, number>;
  work: ReadonlySet<string>;
}

/**
 * One step of a run. After a refusal, `after` equals `before`, and there are no result and no
 * effects.
 */
export interface DeployStep {
  /** The seed and the step, for the message of a failed check. */
  where: string;
  action: DeployAction;
  now: number;
  before: ProjectState;
  after: ProjectState;
  refused: RefusalCode | null;
  result: unknown;
  effects: ProjectEffect[];
  /** The message of a send, an opening or a change. */
  messageId: string;
  armed: Armed;
}

const looks: readonly [TurnSigns["sandbox"], ...TurnSigns["sandbox"][]] = ["running", "starting", "gone", "unknown"];
const settings = { setup: ["npm ci"], services: [], env: {} };
const model = "anthropic:opus__xhigh";

/**
 * Runs random steps. Each seed has different frequencies, so that some Deploys go live and others
 * hardly begin.
 */
export function randomDeployRun(seed: number, length: number): DeployStep[] {
  const random = randomSource(seed);
  const often = asList([
    ...actions.flatMap((action) => Array.from({ length: random.below(4) }, () => action)),
    ...Array.from({ length: random.below(16) }, () => "message" as const),
    ...Array.from({ length: 4 + random.below(12) }, () => "work" as const),
    ...Array.from({ length: 2 + random.below(6) }, () => "turn-ends" as const),
    ...(["start", "turn-begins", "recover"] as const),
  ]);
  const steps: DeployStep[] = [];
  const reminders = new Map<string, number>();
  const work = new Set<string>();
  const left = new Set<string>();
  let state = frozen(project(null));
  let now = firstTime;
  for (let place = 1; place <= length; place++) {
    now += random.oneIn(6) ? random.below(200_000) : random.below(4_000);
    const action = random.pick(often);
    const messageId = createMessage(action, state, place, random);
    const at: Moment = { state, place, random, messageId, left, reminders, work };
    // The clock goes to the next reminder, and handles it.
    if (action === "clock") now = Math.max(now, Math.min(...reminders.values(), now + 600_000));
    const decision = decide(action, at, now);
    const result = isRefusal(decision)
      ? { after: state, refused: decision.code, result: null, effects: [] }
      : { after: frozen(decision.state), refused: null, result: decision.result, effects: decision.effects };
    arm(reminders, work, result.effects);
    const armed = { reminders: new Map(reminders), work: new Set(work) };
    const where = `seed ${seed}, step ${place}: ${action}`;
    steps.push({ where, action, now, before: state, messageId, armed, ...result });
    for (const id of waitingIds(state)) if (!waitingIds(result.after).includes(id)) left.add(id);
    // The object loads the state for each decision, also after a restart.
    state = frozen({ ...result.after, replacedDeploy: null, says: [], chat: toSettledChat(result.after.chat) });
  }
  return steps;
}

/** The ids of the messages that wait Up next, or as steers of the running turn. */
export function waitingIds({ chat: { upNext, steers } }: ProjectState): string[] {
  return [...upNext, ...steers.map(({ message }) => message)].map(({ id }) => id);
}

/**
 * Stores what a decision asked for. An effect stays until it is done; work on a phase that is over
 * does nothing.
 */
function arm(reminders: Map<string, number>, work: Set<string>, effects: readonly ProjectEffect[]): void {
  for (const effect of effects) {
    if (effect.type === "remind") reminders.set(effect.name, effect.at);
    if (effect.type === "forget") reminders.delete(effect.name);
    if (effect.type === "work-on-phase") work.add(effect.id);
  }
}

interface Moment {
  state: ProjectState;
  place: number;
  random: RandomSource;
  messageId: string;
  left: ReadonlySet<string>;
  reminders: Map<string, number>;
  work: Set<string>;
}

type StepDecision = Decision<ProjectState, unknown, ProjectEffect>;
const nothing = (state: ProjectState): StepDecision => decided(state, null);

function decide(action: DeployAction, moment: Moment, now: number): StepDecision {
  const { state, place, random, messageId } = moment;
  const by = byMember(random.pick(["usr_ada", "usr_bob"]));
  const turnId = `turn-${place}`;
  const next = { nextTurnId: turnId };
  const continues = {
    isBlockedOnBilling: random.oneIn(30),
    workspaceSpend: noSpend,
    model,
    canResume: !random.oneIn(8),
  };
  const queued = { ...continues, hasLeft: moment.left.has(messageId) };
  const { chat } = state;
  switch (action) {
    case "start": {
      const opening = random.oneIn(2) ? { ...createTextMessage("Fresh."), id: messageId } : null;
      const command = { deployId: `deploy-${place}`, sandboxKey: `m-${place}`, by, opening };
      return startDeploy(state, command, continues, now);
    }
    case "recover": {
      const lostKey = state.liveSandboxKey ?? "m-none";
      return recoverMain(state, { deployId: `deploy-${place}`, sandboxKey: `m-${place}`, lostKey }, continues, now);
    }
    case "message": {
      const body = createTextMessage(messageId);
      const facts = { ...continues, seenWasStopped: random.oneIn(20), questions: [] };
      return sendToDeploy(state, { messageId, turnId, body, answers: [], by }, facts, now);
    }
    case "stop":
      return stopDeploy(state, now);
    case "work":
      return workIsDone(moment, next, now);
    case "late-work": {
      const event = {
        phaseId: `deploy-${random.below(place)}:warming:0`,
        outcome: chooseOutcome(state, random),
        ...next,
      };
      return recordPhaseDone(state, event, now);
    }
    case "clock":
      return theClockIs(moment, next, now);
    case "turn-begins":
      return applyChatDecision(
        state,
        recordTurnStart(chat, { turnId: chat.turn?.id ?? "", generation: 1 }, now),
        next,
        now,
      );
    case "turn-ends":
      return applyChatDecision(
        state,
        endTurn(chat, { turnId: chat.turn?.id ?? "", end: random.pick(turnEnds) }, now),
        next,
        now,
      );
    case "late-turn-end": {
      const late = { turnId: `turn-${random.below(place)}`, end: random.pick(turnEnds) };
      return applyChatDecision(state, endTurn(chat, late, now), next, now);
    }
    case "watch":
      return watched(moment, next, now);
    case "write-settings": {
      const works = state.deploy !== null && ["running_agent", "updating"].includes(state.deploy.status);
      return works && chat.turn?.status === "running"
        ? decided({ ...state, draft: { base: settings, settings } }, null)
        : nothing(state);
    }
    case "send-now":
      return sendQueuedToDeploy(state, { messageId, turnId, by }, queued, now);
    case "resume":
      return resumeDeployQueue(state, { turnId }, continues, now);
    case "delete":
      return fromChatDecision(state, deleteQueued(chat, { messageId, by }, queued));
    case "move":
      return fromChatDecision(state, moveQueuedMessage(chat, { messageId, by, toIndex: random.below(5) }, queued));
    case "steer":
      return fromChatDecision(state, steer(chat, { messageId, steerId: `steer-${place}`, by, intoAny: true }, queued));
    case "steer-taken": {
      const [first] = chat.steers;
      return fromChatDecision(
        state,
        recordSteerTaken(chat, { turnId: first?.turnId ?? "", steerId: first?.steerId ?? "" }, now),
      );
    }
  }
}

/** The stored work on a phase has come to something. That on an earlier phase comes to nothing. */
function workIsDone({ state, random, work }: Moment, next: { nextTurnId: string }, now: number): StepDecision {
  const [phaseId] = work;
  if (phaseId === undefined) return nothing(state);
  work.delete(phaseId);
  return recordPhaseDone(state, { phaseId, outcome: chooseOutcome(state, random), ...next }, now);
}

function chooseOutcome({ deploy }: ProjectState, random: RandomSource): PhaseOutcome {
  if (random.oneIn(12)) return { type: "failed", error: "It broke." };
  if (deploy?.status === "promoting" && !deploy.isSwitching) return { type: "checked" };
  return { type: "done", model, problems: random.oneIn(6) ? ["A command failed."] : [] };
}

/** Handles a reminder that is due, which is used up with that. */
function theClockIs({ state, random, reminders }: Moment, next: { nextTurnId: string }, now: number): StepDecision {
  const due = [...reminders].filter(([, at]) => at <= now).map(([name]) => name);
  if (due.length === 0) return nothing(state);
  const name = random.pick(asList(due));
  reminders.delete(name);
  switch (name) {
    case "phase-overdue":
      return recordPhaseOverdue(state, { ...next, model }, now);
    case "end-sandboxes":
      return endLeaving(state, now);
    case "stop-overdue":
      return applyChatDecision(state, stopOverdue(state.chat, now), next, now);
    case "watch-turn":
      return watched({ state, random, reminders }, next, now);
    default:
      return nothing(state);
  }
}

function watched(
  { state, random, reminders }: Pick<Moment, "state" | "random" | "reminders">,
  next: { nextTurnId: string },
  now: number,
): StepDecision {
  const { turn } = state.chat;
  if (turn === null) return nothing(state);
  reminders.delete("watch-turn");
  const signs = { sandbox: random.pick(looks), lastSignAt: random.oneIn(2) ? now - random.below(300_000) : null };
  return applyChatDecision(
    state,
    watchTurn(state.chat, { seen: { id: turn.id, status: turn.status }, signs }, now),
    next,
    now,
  );
}

/** The message of an action: a new one of a send, else mostly one that waits. */
function createMessage(action: DeployAction, { chat }: ProjectState, place: number, random: RandomSource): string {
  if (action === "message" || action === "start") return `message-${place}`;
  const [top, ...others] = chat.upNext;
  return top === undefined || random.oneIn(6) ? `message-${random.below(place)}` : random.pick([top, ...others]).id;
}

function asList<Item>(items: Item[]): readonly [Item, ...Item[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error("Nothing is in the list.");
  return [first, ...rest];
}

/** Freezes a value deeply. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
