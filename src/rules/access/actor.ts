// An actor: who changes something. Every call that changes an object takes one as `by`: it decides whether they may, whose a message or
// a comment is, and what is told of the change.

import type { Role, Standing, User } from "./membership.ts";

/** `role` is what the user is in the workspace that the change is made in; null for somebody who is no member there. */
export type Actor =
  /** By hand, in a browser or with an API key. */
  | { type: "member"; user: User; role: Role | null }
  /** The workspace's planning agent, for the member who asked it. */
  | { type: "lead"; user: User; role: Role | null }
  /** The agent of a session, for the Assignee who sent its turn; without a user, for nobody. */
  | { type: "session-agent"; sessionId: string; user: User | null; role: Role | null }
  /** A run of a cron, for the cron's creator; without a user, for nobody, as the creator left. */
  | { type: "cron-run"; cronId: string; runId: string; user: User | null; role: Role | null }
  | { type: "relay" }
  /** Switchyard itself: what it saw at the code host, or what fell due. */
  | { type: "service" };

/** An actor who can write messages and comments. */
export type Sender = Exclude<Actor, { type: "service" }>;

/** Who wrote a message or a comment. */
export type Author =
  | { kind: "member"; userId: string; name: string; email: string; imageUrl: string | null }
  | { kind: "cron"; cronId: string; runId: string }
  | { kind: "session"; sessionId: string }
  | { kind: "relay" };

/** The user that an actor stands for; null when it stands for none. */
export function userOf(actor: Actor): User | null {
  return "user" in actor ? actor.user : null;
}

/** Whose name stands on what an actor writes. The Lead writes in the name of its member. */
export function authorOf(sender: Sender): Author {
  switch (sender.type) {
    case "member":
    case "lead": {
      const { id: userId, name, email, imageUrl } = sender.user;
      return { kind: "member", userId, name, email, imageUrl };
    }
    case "session-agent":
      return { kind: "session", sessionId: sender.sessionId };
    case "cron-run":
      return { kind: "cron", cronId: sender.cronId, runId: sender.runId };
    case "relay":
      return { kind: "relay" };
  }
}

/** True when an actor wrote it, by itself or as the member it stands for. */
export function isOwn(author: Author, actor: Actor): boolean {
  switch (author.kind) {
    case "member":
      return author.userId === userOf(actor)?.id;
    case "cron":
      return actor.type === "cron-run" && actor.runId === author.runId;
    case "session":
      return actor.type === "session-agent" && actor.sessionId === author.sessionId;
    case "relay":
      return actor.type === "relay";
  }
}

/** The standing of an actor towards what somebody wrote. */
export function standingTowards(author: Author, actor: Actor): Standing {
  return { role: "role" in actor ? actor.role : null, isOwn: isOwn(author, actor) };
}
