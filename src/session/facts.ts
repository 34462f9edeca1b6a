// The facts that decide whether work can start in a session: its models, its sandbox and its plan.
import type { WorkFacts } from "../../durable-objects/session/rpc.ts";
import type { Details, Found, SessionFound, WorkspaceFound } from "../access/queries.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { TurnModelFacts } from "../model/rules/choice.ts";
import {
  findPerson,
  findSubscriber,
  listRunnableProviders,
  type MemberModels,
  type SessionParties,
} from "../provider-login/rules/payer.ts";
import { isOverAllowance } from "../workspace/rules/billing-block.ts";
import { plans } from "../workspace/rules/billing-plan.ts";

/** The details that a route reads with a session before it starts work. */
export const workDetails = ["runningMsThisMonth", "workspaceSpend", "slot", "callerModels", "assigneeModels"] as const;

/** Returns the facts of a session from the result of its access check. */
export function getWorkFacts(found: Found<"session", (typeof workDetails)[number]>, by: Actor): WorkFacts {
  const { workspace, session, callerModels, assigneeModels } = found;
  return getStartFacts(found, getModelFacts(workspace, getSessionParties(session), by, [callerModels, assigneeModels]));
}

type StartFound = Found<"project", "runningMsThisMonth" | "workspaceSpend"> & Partial<Pick<Details, "slot">>;

/**
 * Returns the facts for these models. The session may be one that is being created, which has no
 * slot.
 */
export function getStartFacts(
  { workspace, project, runningMsThisMonth, workspaceSpend, slot = null }: StartFound,
  models: TurnModelFacts,
): WorkFacts {
  return {
    ...models,
    sandbox: slot,
    isHeldByDeploy: project.holdsSessionsUp,
    hasSpare: project.hasSpare,
    isSandboxLimited: plans[workspace.plan].maxConcurrentSandboxes !== null,
    workspaceSpend,
    generatesTitles: workspace.generatedTitles,
    isBlockedOnBilling: isOverAllowance(workspace.plan, runningMsThisMonth),
  };
}

/**
 * The facts that decide the model of a turn in a session with these parties: the models that its
 * payer and workspace can run, and their defaults. `members` are those who may be its Assignee.
 */
export function getModelFacts(
  workspace: WorkspaceFound,
  parties: SessionParties,
  by: Actor,
  members: readonly (MemberModels | null)[],
): TurnModelFacts {
  const findMember = (userId: string | null) => members.find((one) => one !== null && one.userId === userId) ?? null;
  const subscriber = findMember(findSubscriber(parties, by));
  return {
    runnable: listRunnableProviders(subscriber, workspace.providers),
    subscribed: new Set(subscriber?.providers.map(({ provider }) => provider)),
    assigneeDefaultModel: findMember(findPerson(parties.assignee, by))?.defaultModel ?? null,
    workspaceDefaultModel: workspace.defaultModel,
  };
}

/** The member or service that a session works for, as lists show it. */
export function getSessionParties({ assigneeKind, assigneeId, filedByKind }: SessionFound): SessionParties {
  const member = assigneeId === null ? null : ({ kind: "member", userId: assigneeId } as const);
  return {
    assignee: assigneeKind === "service" ? { kind: "service" } : member,
    filedBy: filedByKind === null ? null : { kind: filedByKind },
  };
}
