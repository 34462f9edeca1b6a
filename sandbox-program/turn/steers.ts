// The steers of one turn. Each is handed to the agent once, however often it arrives, in order,
// after its files are downloaded. Steers that the agent has not taken when the turn ends are
// returned.
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import type { AgentMessage, AgentRun } from "../agent/agent.ts";
import type { SteerCommand } from "./link.ts";

type SteerEvent = Extract<TurnEvent, { type: "steer" }>;

export interface Steers {
  arrive(steer: SteerCommand): void;
  /** Called when the agent is open. */
  open(run: AgentRun): void;
  /** Reports the outcome of a steer, once. */
  settle(steerId: string, outcome: SteerEvent["outcome"]): void;
  /** Returns all steers that were not taken, and every later one. */
  close(): void;
}

/**
 * Creates the steers of a turn. `ready` prepares a message for the agent. `stopping` is aborted
 * when the turn is stopped.
 */
export function createSteers(
  ready: (steer: SteerCommand) => Promise<AgentMessage>,
  stopping: AbortSignal,
  onEvent: (event: SteerEvent) => void,
): Steers {
  const known = new Set<string>();
  const unsettled = new Set<string>();
  const { promise: opened, resolve: open } = Promise.withResolvers<AgentRun>();
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;

  function settle(steerId: string, outcome: SteerEvent["outcome"]): void {
    if (unsettled.delete(steerId)) onEvent({ type: "steer", steerId, outcome });
  }

  async function handOver(steer: SteerCommand): Promise<void> {
    try {
      const message = await ready(steer);
      const run = await opened;
      if (unsettled.has(steer.steerId)) run.steer(steer.steerId, message);
    } catch {
      // `close` returns the steers of a stopped turn, in their order.
      if (stopping.aborted) return;
      // The steer becomes a message in Up next. Its own turn reports the error of its files.
      settle(steer.steerId, "returned");
    }
  }

  return {
    arrive(steer) {
      if (known.has(steer.steerId)) return;
      known.add(steer.steerId);
      unsettled.add(steer.steerId);
      if (isClosed) settle(steer.steerId, "returned");
      else last = last.then(() => handOver(steer));
    },
    open,
    settle,
    close() {
      isClosed = true;
      for (const steerId of [...unsettled]) settle(steerId, "returned");
    },
  };
}
