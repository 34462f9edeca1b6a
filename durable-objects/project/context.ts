// The context of a project object: what its calls work with. Decisions are made here, so that a
// repeated request gets its first result.
import migrations from "../../migrations/project/migrations.js";
import type { ChatEvent } from "../../src/chat/rules/live-event.ts";
import { endTurn } from "../../src/chat/rules/turn-end.ts";
import { type DeployChanged, listDeployChanges, toDeployEvent } from "../../src/deploy/rules/live-event.ts";
import { type ProjectDecision, type ProjectState, withPublication } from "../../src/deploy/rules/project-state.ts";
import { applyChatDecision } from "../../src/deploy/rules/turn-end.ts";
import { toWireDeployEvent } from "../../src/deploy/wire/chat.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { ProjectEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { listDeployWebhookEvents } from "../../src/webhook/rules/deploy-events.ts";
import { type Chat, createChat } from "../chat/chat.ts";
import { createSteerCommand } from "../chat/steer-command.ts";
import { getDatabase } from "../object/database.ts";
import { createIdempotentResults, createOnce, type Once } from "../object/idempotent-results.ts";
import { createKeyedLock, type KeyedLock } from "../object/keyed-lock.ts";
import { createParking } from "../object/parking.ts";
import { createShell, type Shell } from "../object/shell.ts";
import { handleProjectReminder, performProjectEffect } from "./effects.ts";
import type { ProjectIdentity } from "./rpc.ts";
import { createProjectState, createProjectStore, type ProjectStore } from "./store.ts";

export type ProjectRule<Result> = (state: ProjectState, now: number) => ProjectDecision<Result>;

export interface ProjectContext {
  env: Env;
  store: ProjectStore;
  chat: Chat;
  shell: Shell<ProjectState | null, ProjectEffect>;
  /** Lets a rule decide on a project that has had a Deploy. */
  decide<Result>(rule: ProjectRule<Result>): Result | Refusal;
  /** Lets a rule decide, also before the first Deploy. A repeat gets the first result. */
  decideOnce<Result>(facts: ProjectIdentity, repeat: Idempotency | null, rule: ProjectRule<Result>): Result | Refusal;
  once: Once;
  /** Runs work under one key one at a time. */
  withLock: KeyedLock;
  /** The current state, or an empty state before the first Deploy. */
  stateFor(facts: ProjectIdentity): ProjectState;
}

const noDeploy = refuse("NOT_DEPLOYED");

/** Creates the context of an object. */
export function createProjectContext(ctx: DurableObjectState, env: Env): ProjectContext {
  const db = getDatabase(ctx, migrations);

  const chat: Chat = createChat(ctx, db, {
    find: () => store.find()?.chat ?? null,
    decide: (_by, rule) =>
      context.decide((state, now) =>
        applyChatDecision(state, rule(state.chat, now), { nextTurnId: createId(now) }, now),
      ),
    endTurn: (turnId, end) =>
      void context.decide((state, now) =>
        applyChatDecision(state, endTurn(state.chat, { turnId, end }, now), { nextTurnId: createId(now) }, now),
      ),
    createSteerCommand: (steer) => createSteerCommand(env, steer, chat.store.turn(steer.turnId)?.model ?? null, ""),
    remindToWatch: (at) => shell.remindBy("watch-turn", at),
    onTargetCommit: () => undefined,
    listOwnerEvents: () => [store.find()].flatMap((state) => (state ? [toDeployEvent(state)] : [])),
    toWire: (event) => toWireDeployEvent(event as ChatEvent | DeployChanged, store.find()?.id ?? ""),
  });
  const store = createProjectStore(db, chat);

  const shell: ProjectContext["shell"] = createShell<ProjectState | null, ProjectEffect>(ctx, db, {
    load: store.find,
    save(before, after) {
      if (after === null) return store.clear();
      const said = store.save(before, after);
      chat.logChanges(before?.chat ?? null, after.chat, [...said, ...listDeployChanges(before, after)]);
    },
    onCommitted: chat.subscribers.publish,
    onRolledBack: store.invalidate,
    perform: (effect) => performProjectEffect(context, effect),
    parking: createParking(ctx, env, "project"),
    remind: (name) => handleProjectReminder(context, name),
  });

  const context: ProjectContext = {
    env,
    store,
    chat,
    shell,
    decide: (rule) =>
      shell.decide(withEvents((state, now) => (state ? withPublication(state, rule(state, now)) : noDeploy))),
    decideOnce: (facts, repeat, rule) =>
      context.once.decide(repeat, () =>
        shell.decide(withEvents((state, now) => withPublication(state, rule(state ?? context.stateFor(facts), now)))),
      ),
    once: createOnce(createIdempotentResults(db)),
    withLock: createKeyedLock(),
    stateFor: ({ projectId, workspaceId, isLive, mainSandboxKey }) =>
      store.find() ?? createProjectState({ projectId, workspaceId, liveSandboxKey: isLive ? mainSandboxKey : null }),
  };
  void ctx.blockConcurrencyWhile(() => shell.resume());
  return context;
}

type BeginningRule<Result> = (
  state: ProjectState | null,
  now: number,
) => Decision<ProjectState | null, Result, ProjectEffect>;

/** The decision of a rule, with the effect that sends the events of the Deploy to webhooks. */
function withEvents<Result>(rule: BeginningRule<Result>): BeginningRule<Result> {
  return (state, now) => {
    const decision = rule(state, now);
    if (isRefusal(decision)) return decision;
    const made = listDeployWebhookEvents(state, decision.state, now);
    const sent = made.map((event) => ({ ...event, id: createId(now) }));
    const [first] = sent;
    if (!first) return decision;
    const recording = { type: "record-events" as const, id: first.id, events: [], sent };
    return { ...decision, effects: [...decision.effects, recording] };
  };
}
