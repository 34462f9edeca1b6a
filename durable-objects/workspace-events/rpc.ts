// The interface of a workspace's event object.
import type { WorkspaceEvent } from "../../src/resources/workspace-event.ts";

/** A request to listen. */
export interface ListenRequest {
  userId: string;
  /** The key that the listener came with. */
  keyId: string;
  /** The last event that the listener has. */
  lastEventId: string | null;
}

/** The listeners of a user, those who came with a key, or all of a workspace that is gone. */
export type Listening = { userId: string } | { keyId: string } | "all";

/** The event object: one per workspace. It tells listeners what the outboxes of other objects bring; `fetch` accepts listeners. */
export interface WorkspaceEventsRpc extends Rpc.DurableObjectBranded {
  /** Tells events, in order. Activity that was told before is not told again. */
  tell(events: WorkspaceEvent[]): Promise<void>;
  /** Ends streams at once. A client that may still listen comes back and goes on where it was. */
  end(of: Listening): Promise<void>;
}
