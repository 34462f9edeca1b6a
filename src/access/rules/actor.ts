// An actor: the one who makes a change. Every call that changes an object takes an actor as `by`.
// It decides whether the change is allowed, who the author of a message or a comment is, and what
// the events of the change contain.

import type { Role, Standing, User } from "./membership.ts";

/**
 * `role` is the user's role in the workspace of the change; null for a user who is not a member.
 */
export type Actor =
  /** A person, in a browser or with an API key. */
  | { type: "member"; user: User; role: Role | null }
  /** The workspace's planning agent, for the member who asked it. */
  | { type: "lead"; user: User; role: Role | null }
  /**
   * An agent outside of the service that a member works with, over MCP. `client` is the name that
   * its program has given; null without one.
   */
  | { type: "client-agent"; user: User; role: Role | null; client: string | null }
  /** The agent of a session. `user` is the Assignee if they sent the turn, else null. */
  | { type: "session-agent"; sessionId: string; user: User | null; role: Role | null }
  /**
   * A run of a cron. `user` is the cron's creator; null once the creator or the cron's last writer
   * has left the workspace. `role` is the lesser role of the two.
   */
  | { type: "cron-run"; cronId: string; runId: string; user: User | null; role: Role | null; writer: RunWriter }
  | RelayActor
  | TriggerActor
  /** Switchyard itself: an event of the code host, or a deadline. */
  | { type: "service" };

/**
 * The last writer of a run's cron: its creator as a person, another person, or an agent or a run.
 */
export type RunWriter = "creator" | "person" | "agent";

export const triggerSources = ["github", "http"] as const;
/** The code host, or a request with the trigger's key. */
export type TriggerSource = (typeof triggerSources)[number];

/**
 * A trigger of a project. It acts as nobody, not even as the person who wrote it, and the workspace
 * pays.
 */
export interface TriggerActor {
  type: "trigger";
  triggerId: string;
  name: string;
  /** Where its cause happened. */
  source: TriggerSource;
  /** The page that it is about; null without one. */
  url: string | null;
  /** The account at the code host of the member who asked for it; null if nobody did. */
  login: string | null;
  /** The id of that member. It acts as nobody nevertheless. */
  askedBy: string | null;
  /** True if its newest message makes its waiting ones out of date. */
  replacesWaiting: boolean;
  /** How many messages that nobody asked for may follow each other until a person writes. */
  attemptsMax: number;
  /** What turns that no person sent may cost in a session that it starts, in US dollars. */
  sessionLimitUsd: number;
  /** True if it may resume a session that is Under Review. */
  resumesReview: boolean;
  /** True if the session then goes back Under Review. */
  returnsToReview: boolean;
}

interface RelayActor {
  type: "relay";
  /** Who wrote it in the chat tool, if the relay says so. It is shown, and gives no right. */
  sender?: RelaySender;
}

/** A person of a chat tool, as a relay describes them. */
export interface RelaySender {
  name: string;
  id: string;
}

/** Switchyard itself. */
export const service: Actor = { type: "service" };

/** An actor who can write messages and comments. */
export type Sender = Exclude<Actor, { type: "service" }>;

/** An actor who calls the API. */
export type CallingActor = Exclude<Sender, TriggerActor>;

/** The author of a message or a comment. */
export type Author =
  | { kind: "member"; userId: string; name: string; email: string; imageUrl: string | null }
  | { kind: "cron"; cronId: string; runId: string }
  | { kind: "session"; sessionId: string }
  | { kind: "relay"; sender?: RelaySender }
  | TriggerAuthor
  /** Switchyard itself, for a turn that it started. */
  | { kind: "service" };

/** A trigger of the project, about something at the code host or in a request. */
interface TriggerAuthor {
  kind: "trigger";
  triggerId: string;
  name: string;
  source: TriggerSource;
  url: string | null;
  login: string | null;
}

/** The user that an actor acts as; null if there is none. */
export function findUser(actor: Actor): User | null {
  return "user" in actor ? actor.user : null;
}

/**
 * The user whose own things an actor may change: their messages, crons and account. Null for a run
 * of a cron that somebody else wrote.
 */
export function findOwner(actor: Actor): User | null {
  return actor.type === "cron-run" && actor.writer !== "creator" ? null : findUser(actor);
}

/** The author of an actor's texts. The Lead and an agent over MCP write as their member. */
export function getAuthor(sender: Sender): Exclude<Author, { kind: "service" }> {
  switch (sender.type) {
    case "member":
    case "lead":
    case "client-agent": {
      const { id: userId, name, email, imageUrl } = sender.user;
      return { kind: "member", userId, name, email, imageUrl };
    }
    case "session-agent":
      return { kind: "session", sessionId: sender.sessionId };
    case "cron-run":
      return { kind: "cron", cronId: sender.cronId, runId: sender.runId };
    case "relay":
      return { kind: "relay", ...(sender.sender && { sender: sender.sender }) };
    case "trigger": {
      const { triggerId, name, source, url, login } = sender;
      return { kind: "trigger", triggerId, name, source, url, login };
    }
  }
}

/** True if the author is the actor, or the user whose own things the actor may change. */
export function isOwn(author: Author, actor: Actor): boolean {
  switch (author.kind) {
    case "member":
      return author.userId === findOwner(actor)?.id;
    case "cron":
      return actor.type === "cron-run" && actor.runId === author.runId;
    case "session":
      return actor.type === "session-agent" && actor.sessionId === author.sessionId;
    case "relay":
      return actor.type === "relay";
    case "trigger":
      return actor.type === "trigger" && actor.triggerId === author.triggerId;
    case "service":
      return false;
  }
}

/** The standing of an actor towards something that has an author. */
export function getStanding(author: Author, actor: Actor): Standing {
  return { role: "role" in actor ? actor.role : null, isOwn: isOwn(author, actor) };
}
