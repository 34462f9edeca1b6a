// The phases of a Deploy: what follows when one is complete, and when its time is over.
import { decided } from "../../rules/decision.ts";
import { startAgentPhase } from "./agent-turn.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import { endRun, failRun } from "./end.ts";
import { type Deploy, type ProjectDecision, type ProjectState, type Step, startPhase } from "./project-state.ts";
import { type NextTurn, recordPromotion, startSwitch } from "./promotion.ts";
import { withTop } from "./queue.ts";
import { phaseDeadlinesMs } from "./status.ts";

/** The outcome of a phase's work. */
export type PhaseOutcome =
  /**
   * `problems` are the problems in setup or services, which the agent should fix. `model` is the
   * model of the agent's turn.
   */
  | { type: "done"; problems?: string[]; model?: string | null }
  /** Every endpoint responds, so the sandbox may become the live one. */
  | { type: "checked" }
  /** `hasSandbox` is false if no sandbox is left in which a message could continue. */
  | { type: "failed"; error: string; hasSandbox?: boolean };

interface PhaseEvent {
  phaseId: string;
  outcome: PhaseOutcome;
  /** The id of the turn that starts if the agent is next. */
  nextTurnId: string;
}

/** Continues after the work of a phase. Ignores an outcome of an earlier phase. */
export function recordPhaseDone(
  state: ProjectState,
  event: PhaseEvent,
  now: number,
): ProjectDecision<{ isCurrent: boolean }> {
  const { deploy } = state;
  if (deploy === null || deploy.phaseDueAt === null || deploy.phaseId !== event.phaseId)
    return decided(state, { isCurrent: false });
  const next = nextAfter(state, deploy, event, now);
  return decided(next.state, { isCurrent: true }, next.effects);
}

function nextAfter(state: ProjectState, deploy: Deploy, { outcome, nextTurnId }: PhaseEvent, now: number): Step {
  if (outcome.type === "failed") {
    const kept = outcome.hasSandbox === false ? { ...state, deploy: { ...deploy, sandboxKey: null } } : state;
    return failRun(kept, outcome.error, now);
  }
  const problems = outcome.type === "done" ? (outcome.problems ?? []) : [];
  const withProblems = { ...deploy, problems: [...deploy.problems, ...problems] };
  const noted = problems.reduce<ProjectState>((told, problem) => addServiceMessage(told, problem, now), {
    ...state,
    deploy: withProblems,
  });
  switch (deploy.status) {
    case "creating_sandbox":
      return startPhase(noted, "starting_services", now);
    case "starting_services":
      // A Recovery Deploy needs its agent only if there was a problem.
      if (deploy.trigger === "system" && withProblems.problems.length === 0 && state.instructions.length === 0)
        return startPhase(noted, "warming", now);
      return startAgentPhase(noted, { turnId: nextTurnId, model: getModel(outcome) }, now);
    case "warming":
      return startPhase(noted, "promoting", now);
    case "promoting":
      if (outcome.type === "checked") return startSwitch(state, deploy, now);
      return recordPromotion(state, deploy, { nextTurnId, model: getModel(outcome) }, now);
    case "updating":
      return toSettledStep(state, { nextTurnId, model: getModel(outcome) }, now);
    case "warming_pool":
      return endRun(noted, { status: "deployed" }, now);
    default:
      return { state, effects: [] };
  }
}

const getModel = (outcome: PhaseOutcome) => (outcome.type === "done" ? (outcome.model ?? null) : null);

/** Handles the end of an update: its settings are in force. Waiting messages are handled first. */
function toSettledStep(state: ProjectState, { nextTurnId, model }: NextTurn, now: number): Step {
  const waiting = withTop({ ...state, draft: null });
  if (waiting.instructions.length === 0) return endRun(waiting, { status: "deployed" }, now);
  return startAgentPhase(waiting, { turnId: nextTurnId, model }, now);
}

/**
 * Handles a phase whose time is over. Warming continues without what is missing. A promotion that
 * is being written continues until its outcome is known. Any other phase fails the Deploy with its
 * reason.
 */
export function recordPhaseOverdue(state: ProjectState, next: NextTurn, now: number): ProjectDecision<null> {
  const { deploy } = state;
  if (deploy === null || deploy.phaseDueAt === null) return decided(state, null);
  if (deploy.phaseDueAt > now)
    return decided(state, null, [{ type: "remind", name: "phase-overdue", at: deploy.phaseDueAt }]);
  const step = afterOverdue(state, deploy, next, now);
  return decided(step.state, null, step.effects);
}

function afterOverdue(state: ProjectState, deploy: Deploy, { nextTurnId, model }: NextTurn, now: number): Step {
  const minutes = (phaseDeadlinesMs[deploy.status] ?? 60_000) / 60_000;
  const inWords = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  switch (deploy.status) {
    case "creating_sandbox":
      return failRun(
        state,
        `The sandbox was not ready after ${inWords}: clone and setup were not done, or it did not answer. Start the Deploy again.`,
        now,
      );
    case "starting_services": {
      const problems = [`The services did not all answer within ${inWords}.`];
      const outcome = { type: "done", problems, model } as const;
      return nextAfter(state, deploy, { phaseId: deploy.phaseId, outcome, nextTurnId }, now);
    }
    case "warming":
      return startPhase(state, "promoting", now);
    case "promoting":
      // The switch is one statement that either happened or did not. Its effect is repeated until
      // it knows which.
      if (deploy.isSwitching) return again(state, deploy, now);
      return failRun(
        state,
        `The sandbox did not report within ${inWords} that its services answer. Start the Deploy again.`,
        now,
      );
    case "updating":
      return failRun(state, notSaved, now);
    case "warming_pool":
      return endRun(state, { status: "deployed" }, now);
    default:
      return { state, effects: [] };
  }
}

const notSaved =
  "The settings that the agent wrote could not be saved in time. The project keeps its settings. Send a message to try again.";

/** Continues a promotion: its effect is repeated until it succeeds. */
function again(state: ProjectState, deploy: Deploy, now: number): Step {
  const at = now + 60_000;
  return {
    state: { ...state, deploy: { ...deploy, phaseDueAt: at } },
    effects: [
      { type: "remind", name: "phase-overdue", at },
      { type: "work-on-phase", id: deploy.phaseId },
    ],
  };
}
