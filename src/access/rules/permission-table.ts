// Permissions: one table of who may do what. The kind of the caller's key is checked first, then
// its user's standing in the workspace. Further limits of a cron run's key are in
// `session/rules/cron-run-rights.ts`. What a connected agent may do is in `scope.ts`.

import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { RunWriter } from "./actor.ts";
import { checkAllowed, type Standing, type Who } from "./membership.ts";
import { findScope, type Scope } from "./scope.ts";

export const callerKinds = ["browser", "api-key", "agent", "cron-run", "relay", "client"] as const;
export type CallerKind = (typeof callerKinds)[number];

/**
 * The facts about a caller besides its user. For a route without a workspace, `sameWorkspace` is
 * true.
 */
export type CallerFacts =
  | { kind: "browser" }
  | { kind: "api-key" }
  /**
   * `assigneeSentTurn` is also true for an agent that acts as the member who asked it, such as the
   * Lead.
   */
  | { kind: "agent"; sameWorkspace: boolean; assigneeSentTurn: boolean }
  | CronRunFacts
  | { kind: "relay"; sameWorkspace: boolean }
  /** An agent outside of the service that a person connected. */
  | { kind: "client"; sameWorkspace: boolean; scopes: readonly Scope[] };

export interface CronRunFacts {
  kind: "cron-run";
  sameWorkspace: boolean;
  /** True if the noun is in the run's project, or if the route has no project. */
  sameProject: boolean;
  /** True while both the cron's creator and its last writer are members. */
  actsAsMember: boolean;
  writer: RunWriter;
  /** True if an agent or a run requested the fire. */
  isAskedByAgent: boolean;
}

type UserVerdict = "yes" | "no";
/** An agent acts as the session's Assignee if they sent the turn, else as nobody. */
type AgentVerdict = "yes" | "no" | "when-assignee-sent";
/**
 * `while-member`: only while the run acts as a member. `own-project`: while it acts as a member in
 * the whole workspace, afterwards only in its project. `by-creator`: like `while-member`, and only
 * if the creator wrote the cron last, because the action concerns the creator's account, here or at
 * the code host.
 */
type CronRunVerdict = "yes" | "no" | "while-member" | "own-project" | "by-creator";

type Row = readonly [Who, UserVerdict, UserVerdict, AgentVerdict, CronRunVerdict, UserVerdict];

// biome-ignore format: a table is read by its columns.
export const permissions = {
  //                               who        browser api-key agent                 cron-run        relay
  "session.read":                 ["member",  "yes",  "yes",  "yes",                "own-project",  "yes"],
  "session.list":                 ["member",  "yes",  "yes",  "yes",                "own-project",  "no"],
  "session.search":               ["user",    "yes",  "yes",  "yes",                "own-project",  "no"],
  "place.read":                   ["member",  "yes",  "yes",  "no",                 "no",           "yes"],
  "session.create":               ["member",  "yes",  "yes",  "yes",                "own-project",  "yes"],
  "session.send":                 ["member",  "yes",  "yes",  "yes",                "own-project",  "yes"],
  "session.update":               ["member",  "yes",  "yes",  "when-assignee-sent", "own-project",  "no"],
  "session.activate":             ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "session.mark-seen":            ["member",  "yes",  "yes",  "no",                 "no",           "no"],
  "session.delete":               ["member",  "yes",  "yes",  "no",                 "no",           "no"],
  "runtime-command.run":          ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "turn.stop":                    ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "up-next.change":               ["author",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "up-next.delete":               ["creator", "yes",  "yes",  "when-assignee-sent", "no",           "no"],
  "up-next.resume":               ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "stream.read":                  ["member",  "yes",  "yes",  "yes",                "own-project",  "yes"],

  "sandbox.read":                 ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "sandbox.use":                  ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "terminal.open":                ["member",  "yes",  "no",   "no",                 "no",           "no"],
  "sandbox.stop":                 ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "share-link.read":              ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "share-link.create":            ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "share-link.revoke":            ["member",  "yes",  "yes",  "when-assignee-sent", "no",           "no"],
  "files.read":                   ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "files.write":                  ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "git.commit":                   ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "git.push":                     ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "review-comment.read":          ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "review-comment.change":        ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "review-comment.delete":        ["member",  "yes",  "yes",  "when-assignee-sent", "no",           "no"],
  "artifact.read":                ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "artifact.copy":                ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "prototype.read":               ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "prototype.create":             ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "prototype.delete":             ["member",  "yes",  "yes",  "when-assignee-sent", "no",           "no"],

  "project.list":                 ["user",    "yes",  "yes",  "yes",                "while-member", "yes"],
  "project.read":                 ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "project.create":               ["member",  "yes",  "yes",  "no",                 "by-creator",   "no"],
  "project.change":               ["member",  "yes",  "yes",  "no",                 "while-member", "no"],
  "project.delete":               ["member",  "yes",  "yes",  "no",                 "no",           "no"],
  "network.read":                 ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "network.change":               ["member",  "yes",  "yes",  "no",                 "no",           "no"],
  "network-secret.change":        ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "trigger.read":                 ["member",  "yes",  "yes",  "no",                 "no",           "no"],
  "trigger.change":               ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "project-skill.read":           ["member",  "yes",  "yes",  "yes",                "own-project",  "no"],
  "deploy.read":                  ["member",  "yes",  "yes",  "yes",                "own-project",  "no"],
  "deploy.use":                   ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],

  "deploy-queue.change":          ["author",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "deploy-queue.delete":          ["creator", "yes",  "yes",  "when-assignee-sent", "no",           "no"],

  "cron.read":                    ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "cron.create":                  ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "cron.change":                  ["creator", "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "cron.delete":                  ["creator", "yes",  "yes",  "no",                 "no",           "no"],
  "cron.diagnostics":             ["creator", "yes",  "yes",  "when-assignee-sent", "no",           "no"],

  "models.read":                  ["user",    "yes",  "yes",  "yes",                "yes",          "yes"],
  "activity.mark-seen":           ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "activity.read":                ["user",    "yes",  "yes",  "when-assignee-sent", "while-member", "no"],

  "workspace.list":               ["user",    "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "workspace.create":             ["user",    "yes",  "no",   "no",                 "no",           "no"],
  "workspace.read":               ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "usage.read":                   ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "audit.read":                   ["owner",   "yes",  "yes",  "no",                 "no",           "no"],
  "workspace.follow":             ["member",  "yes",  "yes",  "when-assignee-sent", "while-member", "no"],
  "workspace.change":             ["admin",   "yes",  "yes",  "no",                 "while-member", "no"],
  "workspace.logo":               ["admin",   "yes",  "no",   "no",                 "no",           "no"],
  "workspace.delete":            ["owner",   "yes",  "no",   "no",                 "no",           "no"],
  "workspace.transfer":           ["owner",   "yes",  "no",   "no",                 "no",           "no"],
  "workspace-network.change":     ["owner",   "yes",  "yes",  "no",                 "no",           "no"],
  "workspace-credential.manage":  ["admin",   "yes",  "yes",  "no",                 "while-member", "no"],
  "workspace-credential.delete":  ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "workspace-skill.read":         ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "workspace-skill.change":       ["admin",   "yes",  "yes",  "no",                 "while-member", "no"],
  "workspace-skill.delete":       ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "relay-key.manage":             ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "webhook.manage":               ["admin",   "yes",  "yes",  "no",                 "no",           "no"],
  "member.read":                  ["member",  "yes",  "yes",  "yes",                "while-member", "no"],
  "membership.change":            ["admin",   "yes",  "no",   "no",                 "no",           "no"],
  "membership.leave":             ["member",  "yes",  "no",   "no",                 "no",           "no"],
  "invitation.manage":            ["admin",   "yes",  "no",   "no",                 "no",           "no"],
  "invitation.accept":            ["user",    "yes",  "no",   "no",                 "no",           "no"],

  "profile.read":                 ["user",    "yes",  "yes",  "when-assignee-sent", "by-creator",   "no"],
  "profile.change":               ["user",    "yes",  "no",   "no",                 "no",           "no"],
  "sign-out":                     ["user",    "yes",  "no",   "no",                 "no",           "no"],
  "code-host.connect":            ["user",    "yes",  "no",   "no",                 "no",           "no"],
  "api-key.manage":               ["user",    "yes",  "no",   "no",                 "no",           "no"],
  "api-key.read-itself":          ["user",    "no",   "yes",  "no",                 "no",           "no"],
  "api-key.revoke-itself":        ["user",    "no",   "yes",  "no",                 "no",           "no"],
  "push-device.list":             ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "push-device.register":         ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "push-device.remove":           ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "personal-skill.list":          ["user",    "yes",  "yes",  "yes",                "yes",          "no"],
  "personal-skill.read":          ["user",    "yes",  "yes",  "when-assignee-sent", "by-creator",   "no"],
  "personal-skill.change":        ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "personal-skill.delete":        ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "plugin.list":                  ["user",    "yes",  "yes",  "yes",                "yes",          "no"],
  "plugin.change":                ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "default-model.change":         ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "subscription.read":            ["user",    "yes",  "yes",  "no",                 "no",           "no"],
  "subscription.change":          ["user",    "yes",  "yes",  "no",                 "no",           "no"],
} as const satisfies Record<string, Row>;

export type Action = keyof typeof permissions;

/**
 * Refuses an action that a caller of this kind may not do (Part 1, "Authentication"; Part 2, "A
 * cron run's own key").
 */
export function checkCallerKind(action: Action, caller: CallerFacts): Refusal | null {
  const [, browser, apiKey, agent, cronRun, relay]: Row = permissions[action];
  switch (caller.kind) {
    case "browser":
      return browser === "yes" ? null : refuse("FORBIDDEN", "This needs an API key; a browser session cannot do it.");
    case "api-key":
      return apiKey === "yes"
        ? null
        : refuse("FORBIDDEN", "An API key cannot do this. Sign in with a browser instead.");
    case "agent":
      if (agent === "no" || !caller.sameWorkspace)
        return refuse("FORBIDDEN", "An agent may not do this. Ask a member to do it.");
      if (agent === "yes" || caller.assigneeSentTurn) return null;
      return refuse("FORBIDDEN", "An agent may do this only when the session's Assignee sent the turn.");
    case "cron-run": {
      if (cronRun === "no" || !caller.sameWorkspace)
        return refuse("FORBIDDEN", "A cron run may not do this. Leave it to a member.");
      const beyond = checkWriter(action, caller);
      if (beyond || cronRun === "yes" || caller.actsAsMember) return beyond;
      if (cronRun === "own-project" && caller.sameProject) return null;
      return refuse(
        "FORBIDDEN",
        "The cron's creator or last writer has left the workspace, so its runs reach only their own project.",
      );
    }
    case "relay":
      if (relay === "yes" && caller.sameWorkspace) return null;
      return refuse(
        "FORBIDDEN",
        "A relay creates sessions, sends to them and reads them, and lists projects and models, only in its own workspace.",
      );
    case "client":
      return checkScope(action, caller);
  }
}

/** Refuses an action that the scopes of a connected agent do not allow. */
function checkScope(action: Action, { sameWorkspace, scopes }: Extract<CallerFacts, { kind: "client" }>) {
  const needed = findScope(action);
  if (needed === null) return refuse("FORBIDDEN", "A connected agent may not do this. Ask its person to do it.");
  if (!sameWorkspace) return refuse("FORBIDDEN", "The agent is connected to another workspace.");
  return scopes.includes(needed) ? null : refuse("FORBIDDEN", `The agent needs the scope \`${needed}\` for this.`);
}

/**
 * Refuses an action that the last writer of the run's cron may not cause (decisions, "Rights of
 * crons").
 */
function checkWriter(action: Action, { writer, isAskedByAgent }: CronRunFacts): Refusal | null {
  const [, , , agent, cronRun]: Row = permissions[action];
  if (cronRun === "by-creator" && writer !== "creator")
    return refuse(
      "FORBIDDEN",
      "Somebody other than its creator last changed this cron, so its runs use nothing of the creator's account. Ask the creator to save the cron.",
    );
  if (action === "cron.create" && writer === "agent")
    return refuse(
      "FORBIDDEN",
      "An agent or a run last changed this cron, so its runs cannot create crons. Ask a person to save it.",
    );
  if (agent === "no" && (writer === "agent" || isAskedByAgent))
    return refuse(
      "FORBIDDEN",
      "An agent or a run last changed this cron or asked for this run, so it may do only what an agent may. Ask a person to save or run the cron.",
    );
  return null;
}

/** Refuses an action that a user's standing does not allow (Part 2, "Who can do what"). */
export function checkStanding(action: Action, standing: Standing): Refusal | null {
  return checkAllowed(permissions[action][0], standing);
}

/** True if a caller acts as a user, whose standing is then checked too. */
export function isActingAsUser(caller: CallerFacts): boolean {
  switch (caller.kind) {
    case "browser":
    case "api-key":
    case "client":
      return true;
    case "agent":
      return caller.assigneeSentTurn;
    case "cron-run":
      return caller.actsAsMember;
    case "relay":
      return false;
  }
}

/** Checks the kind of the caller, then the user. Null if the caller may do this. */
export function checkPermission(action: Action, caller: CallerFacts, standing: Standing): Refusal | null {
  return checkCallerKind(action, caller) ?? (isActingAsUser(caller) ? checkStanding(action, standing) : null);
}
