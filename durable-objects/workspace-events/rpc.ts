// The interface of a workspace's event object.
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import type { WorkspaceEvent } from "../../src/workspace/event-wire.ts";

/** A request to listen. */
export interface ListenRequest {
  userId: string;
  /** The person who gets what only they get; null for an agent or a run that acts as a member. */
  personId: string | null;
  /** The key that the listener authenticated with. */
  keyId: string;
  /** The last event that the listener has received. */
  lastEventId: string | null;
}

/**
 * A request to be notified when a caller may no longer read a chat of the workspace. The socket
 * carries no messages: it only closes then.
 */
export interface WatchRequest {
  /** Null for a caller that acts for no member. */
  userId: string | null;
  keyId: string;
  /** The project of the chat; null for a chat without a project. */
  projectId: string | null;
}

/**
 * The streams of a user, those opened with a key, those of a deleted project, or all of a workspace
 * that is gone.
 */
export type Listening = { userId: string } | { keyId: string } | { projectId: string } | "all";

/**
 * The event object: one per workspace. It sends its listeners the events from the outboxes of other
 * objects. `fetch` accepts listeners and watches.
 */
export interface WorkspaceEventsRpc extends Rpc.DurableObjectBranded {
  /** Sends events, in order. Activity that was already sent is not sent again. */
  publish(events: WorkspaceEvent[]): Promise<void>;
  /**
   * Ends streams immediately, including those of chats that are watched here. A client that may
   * still listen reconnects and resumes.
   */
  end(of: Listening): Promise<void>;
  /** Replaces what names a deleted person in the stored events. Idempotent. */
  deletePerson(person: DeletedPerson): Promise<void>;
  /** Ends all streams, and deletes the events. Safe to repeat. */
  delete(): Promise<void>;
}
