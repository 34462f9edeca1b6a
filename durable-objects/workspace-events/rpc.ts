// The interface of a workspace's event object.
import type { WorkspaceEvent } from "../../src/workspace/event-wire.ts";

/** A request to listen. */
export interface ListenRequest {
  userId: string;
  /** The key that the listener came with. */
  keyId: string;
  /** The last event that the listener has. */
  lastEventId: string | null;
}

/**
 * A request to be told when a caller may read a chat of the workspace no more. The socket brings
 * nothing else: it closes then.
 */
export interface WatchRequest {
  /** Null for a caller that acts as nobody. */
  userId: string | null;
  keyId: string;
  /** The project of the chat; null for one of no project. */
  projectId: string | null;
}

/**
 * The streams of a user, those opened with a key, those of a deleted project, or all of a workspace
 * that is gone.
 */
export type Listening = { userId: string } | { keyId: string } | { projectId: string } | "all";

/**
 * The event object: one per workspace. It tells listeners what the outboxes of other objects bring;
 * `fetch` accepts listeners and watches.
 */
export interface WorkspaceEventsRpc extends Rpc.DurableObjectBranded {
  /** Tells events, in order. Activity that was told before is not told again. */
  tell(events: WorkspaceEvent[]): Promise<void>;
  /**
   * Ends streams at once, also those of chats that are watched here. A client that may still listen
   * comes back and goes on where it was.
   */
  end(of: Listening): Promise<void>;
}
