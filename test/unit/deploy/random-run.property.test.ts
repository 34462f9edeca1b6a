// The invariants of a project's Deploys in any order of events: nothing is lost, and nothing is
// stuck.
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { isUnfinished, type Turn } from "../../../src/chat/rules/turn.ts";
import { isHoldingSessions } from "../../../src/deploy/rules/held-sessions.ts";
import { isLive, type ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { countWaiting, isFull } from "../../../src/deploy/rules/queue.ts";
import type { DeployDelivery } from "../../../src/deploy/rules/send.ts";
import { type DeployStatus, getDeployWork, getShownStatus, isAtWork } from "../../../src/deploy/rules/status.ts";
import type { StoppedDeploy } from "../../../src/deploy/rules/stop.ts";
import { queueSize } from "../../../src/rules/limits.ts";
import { type DeployStep, randomDeployRun, waitingIds } from "../../support/deploy-run.ts";

const runs = Array.from({ length: 250 }, (_, index) => randomDeployRun(index + 1, 200));

/** Checks an invariant at every step of every run; its memory is reset for each run. */
function everyStep<Memory>(begin: () => Memory, check: (step: DeployStep, memory: Memory) => void) {
  for (const run of runs) {
    const memory = begin();
    for (const step of run) check(step, memory);
  }
}

const eachStep = (check: (step: DeployStep) => void) => everyStep(() => null, check);

/**
 * The check of `toEqual`; in a hundred thousand calls, a plain comparison is many times as fast.
 */
function same(actual: unknown, expected: unknown, where: string) {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, where).toEqual(expected);
}

const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);
const agentWorks = ({ deploy }: ProjectState) =>
  deploy !== null && getDeployWork(deploy.status) === "agent" && deploy.phaseDueAt === null;

describe("in any order of events", () => {
  it("one turn is unfinished at most, and none works for a Deploy whose agent is not at work, unless it is being stopped", () => {
    everyStep(
      () => new Map<string, Turn>(),
      ({ where, before, after }, turns) => {
        for (const turn of [after.chat.endedTurn, after.chat.turn]) {
          if (turn === null || turn === before.chat.turn) continue;
          turns.set(turn.id, turn);
          same([...turns.values()].filter(isUnfinished).length <= 1, true, where);
        }
        const { turn } = after.chat;
        if (!isUnfinished(turn) || turn.stopRequestedAt !== null) return;
        same([agentWorks(after), after.turnDeployId], [true, after.deploy?.id], where);
      },
    );
  });

  it("one Deploy is at work at most, Deploys are numbered without gaps, and one that was replaced stays as it ended", () => {
    everyStep(
      () => new Map<string, { number: number; status: DeployStatus }>(),
      ({ where, after }, rows) => {
        const { deploy, replacedDeploy } = after;
        for (const one of [replacedDeploy, deploy]) if (one) rows.set(one.id, one);
        const all = [...rows.values()];
        same(all.filter(({ status }) => isAtWork(status)).length <= 1, true, where);
        same(
          all.map(({ number }) => number),
          all.map((_, at) => at + 1),
          where,
        );
        for (const { number, status } of all)
          if (number < all.length) same(["deployed", "failed", "cancelled"].includes(status), true, where);
      },
    );
  });

  it("no accepted message is lost or doubled: each is in the conversation, waits, or was returned or deleted", () => {
    everyStep(
      () => ({ accepted: [] as string[], gone: [] as string[] }),
      ({ where, action, refused, messageId, result, before, after }, { accepted, gone }) => {
        const hasOpening = action === "start" && ids(after.instructions).includes(messageId);
        if (refused === null && (action === "message" || hasOpening)) accepted.push(messageId);
        if (refused === null && action === "delete" && waitingIds(before).includes(messageId)) gone.push(messageId);
        if (action === "stop" && refused === null) gone.push(...ids((result as StoppedDeploy).discarded));
        // A turn that no message starts has an empty message of its own.
        gone.push(...ids(after.chat.newMessages));
        same([...gone, ...waitingIds(after), ...ids(after.instructions)].sort(), [...accepted].sort(), where);
      },
    );
  });

  it("every phase has its work stored and a deadline, and every agent at work has a turn that is watched", () => {
    eachStep(({ where, after, armed: { reminders, work } }) => {
      const { deploy, chat } = after;
      const dueAt = deploy?.phaseDueAt ?? null;
      same(reminders.get("phase-overdue") ?? null, dueAt, where);
      if (deploy !== null && dueAt !== null) {
        same(work.has(deploy.phaseId), true, where);
        same(isAtWork(deploy.status) || deploy.status === "warming_pool", true, where);
      }
      if (deploy !== null && dueAt === null) same(getDeployWork(deploy.status) === "building", false, where);
      if (agentWorks(after)) same(isUnfinished(chat.turn), true, where);
      if (deploy?.status === "warming_pool") same(dueAt === null, false, where);
      const isStopping = isUnfinished(chat.turn) && chat.turn.stopRequestedAt !== null;
      same([reminders.has("watch-turn"), reminders.has("stop-overdue")], [isUnfinished(chat.turn), isStopping], where);
      if (after.leaving.length > 0) same(reminders.has("end-sandboxes"), true, where);
    });
  });

  it("a message is queued only while something runs that it waits for, or the queue is paused", () => {
    eachStep(({ where, after: { chat, deploy } }) => {
      if (chat.upNext.length === 0 || chat.pause !== null || isUnfinished(chat.turn)) return;
      same(deploy !== null && (isAtWork(deploy.status) || deploy.status === "warming_pool"), true, where);
    });
  });

  it("instructions wait only while the sandbox is built, or for the end of a turn that is being stopped", () => {
    eachStep(({ where, after }) => {
      const { instructions, deploy, chat } = after;
      if (instructions.length === 0 || deploy === null) return;
      same(getDeployWork(deploy.status) === "building" || (agentWorks(after) && isUnfinished(chat.turn)), true, where);
    });
  });

  it("20 messages are queued at most, and only a full chat refuses one", () => {
    eachStep(({ where, action, before, after, refused, result }) => {
      if (refused === "QUEUE_FULL") same(isFull(before), true, where);
      // A message that starts work leaves the queue immediately, or as soon as the sandbox is
      // built.
      const waits = action === "message" && refused === null && (result as DeployDelivery).delivery !== "job";
      if (waits) same(countWaiting(after) <= queueSize, true, where);
    });
  });

  it("every sandbox that a Deploy started is the live one, its own, about to leave, or ended; none of these is ended", () => {
    everyStep(
      () => ({ begun: new Set<string>(), ended: new Set<string>() }),
      ({ where, before, after, effects }, { begun, ended }) => {
        const { deploy } = after;
        if (deploy?.sandboxKey && deploy.id !== before.deploy?.id) begun.add(deploy.sandboxKey);
        for (const effect of effects) if (effect.type === "destroy-sandbox") ended.add(effect.id);
        const kept = [deploy?.sandboxKey, after.liveSandboxKey, ...after.leaving.map(({ sandboxKey }) => sandboxKey)];
        const held = new Set(kept.filter((key) => typeof key === "string"));
        for (const key of begun) same(held.has(key), !ended.has(key), `${where}: ${key}`);
      },
    );
  });

  it("a draft that was not applied is dropped with its run, except that of a first Deploy, which may be resumed", () => {
    eachStep(({ where, before, after, effects }) => {
      const { deploy } = after;
      if (deploy === null || isAtWork(deploy.status) || !isLive(after)) return;
      same(after.draft, null, where);
      const ofLive = before.deploy?.isPromoted || before.deploy?.isUpdate;
      if (before.draft && ofLive && (deploy.status === "failed" || deploy.status === "cancelled"))
        same(
          effects.some(({ type }) => type === "put-settings-back"),
          true,
          where,
        );
    });
  });

  it("an ended run has the time and the reason of a failure; a running one has neither", () => {
    eachStep(({ where, after: { deploy }, now, before }) => {
      if (deploy === null) return;
      const hasEnded = ["deployed", "failed", "cancelled"].includes(deploy.status);
      same(deploy.completedAt !== null, hasEnded, where);
      if (deploy.status === "failed") same((deploy.error ?? "") !== "", true, where);
      else if (deploy.status !== "cancelled") same(deploy.error, null, where);
      same(deploy.createdAt <= deploy.startedAt && deploy.startedAt <= (deploy.completedAt ?? now), true, where);
      if (hasEnded && before.deploy?.id === deploy.id && !before.deploy.completedAt)
        same(deploy.completedAt, now, where);
    });
  });

  it("what lists and sessions read is written whenever it changes", () => {
    const shown = (state: ProjectState) => [getShownStatus(state), isLive(state), isHoldingSessions(state)];
    eachStep(({ where, before, after, effects }) => {
      if (isDeepStrictEqual(shown(before), shown(after))) return;
      same(
        effects.some(({ type }) => type === "index-project"),
        true,
        where,
      );
    });
  });

  it("the queue pauses when a run fails, is stopped or asks, and a start or a message that starts work resumes it", () => {
    eachStep(({ where, action, before, after, refused }) => {
      const was = before.deploy?.id === after.deploy?.id ? before.deploy?.status : null;
      const is = after.deploy?.status;
      if (is !== was && (is === "failed" || is === "cancelled" || is === "awaiting_user"))
        same(after.chat.pause === null, false, where);
      if (refused === null && action === "start") same(after.chat.pause, null, where);
    });
  });
});

describe("these runs", () => {
  const met = new Map<string, number>();
  eachStep(({ action, refused, before, after }) => {
    const was = before.deploy?.status ?? "idle";
    const is = after.deploy?.status ?? "idle";
    for (const what of [refused && `${action}: ${refused}`, was !== is && `${was} > ${is}`, is])
      if (what) met.set(what, (met.get(what) ?? 0) + 1);
  });

  it.each([
    ...["message: QUEUE_FULL", "message: JOB_STOPPED", "message: NOT_DEPLOYED", "message: DEPLOY_RESUME_UNAVAILABLE"],
    ...["message: CREDIT_LIMIT_REACHED", "start: DEPLOY_ACTIVE", "send-now: DEPLOY_ACTIVE", "send-now: FORBIDDEN"],
    ...["steer: STEER_UNAVAILABLE", "steer: JOB_STOPPED_TEXT_RETURNED", "send-now: QUEUED_MESSAGE_GONE"],
    ...["creating_sandbox > starting_services", "starting_services > running_agent", "starting_services > warming"],
    ...["running_agent > warming", "running_agent > awaiting_user", "awaiting_user > running_agent"],
    ...["warming > promoting", "promoting > warming_pool", "promoting > updating", "warming_pool > deployed"],
    ...["deployed > updating", "updating > deployed", "updating > awaiting_user", "awaiting_user > updating"],
    ...["creating_sandbox > failed", "running_agent > failed", "promoting > failed", "updating > failed"],
    ...["creating_sandbox > cancelled", "awaiting_user > cancelled", "promoting > cancelled", "updating > cancelled"],
    ...["cancelled > creating_sandbox", "cancelled > running_agent", "failed > running_agent", "failed > updating"],
  ])("contain %s", (what) => {
    expect(met.get(what) ?? 0).toBeGreaterThan(3);
  });
});
