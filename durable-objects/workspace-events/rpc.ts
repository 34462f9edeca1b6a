// The interface of a workspace's event object.
import type { WorkspaceEvent } from "../../src/resources/workspace-event.ts";

/** A request to listen. */
export interface ListenRequest {
  userId: string;
  /** The last event that the listener has. */
  lastEventId: string | null;
}

/** The event object: one per workspace. It tells listeners what the outboxes of other objects bring; `fetch` accepts listeners. */
export interface WorkspaceEventsRpc extends Rpc.DurableObjectBranded {
  /** Tells events, in order. Activity that was told before is not told again. */
  tell(events: WorkspaceEvent[]): Promise<void>;
}
