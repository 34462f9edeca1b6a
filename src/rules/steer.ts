// A steer: a message from Up next that is handed to the running turn. It is taken only when the agent says so; one that was not taken
// when the turn ends goes back to the top of Up next.
import type { QueuedMessage } from "./up-next.ts";

export interface Steer {
  steerId: string;
  /** The turn it was handed to. */
  turnId: string;
  message: QueuedMessage;
}
