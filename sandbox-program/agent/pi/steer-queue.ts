// The steers of a running pi turn. They wait here until pi's first answer begins, then in pi's own
// queue, until they are in the conversation or returned.
import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { AgentEvent, AgentMessage } from "../agent.ts";
import { getPromptOptions } from "./prompt-options.ts";

export interface SteerQueue {
  push(steerId: string, message: AgentMessage): void;
  /**
   * Called when pi's first answer begins. From then on, a steer is sent in a separate request after
   * the prompt.
   */
  begin(): void;
  /** Called when a user message is in the conversation. True if it was a steer. */
  take(text: string): boolean;
  isEmpty(): boolean;
  /** Resolves when pi has queued every steer and has finished the runs that steers started. */
  idle(): Promise<void>;
  /** Called when the turn is stopped. `close` returns later steers, and pi does not get them. */
  hold(): void;
  /** Returns the steers that pi has not taken, and every later one. */
  close(): void;
  /** Returns the steers that pi has not taken yet. */
  giveBack(): void;
}

interface Steer {
  steerId: string;
  message: AgentMessage;
}

/** Creates the queue of one turn. */
export function createSteerQueue(session: AgentSession, onEvent: (event: AgentEvent) => void): SteerQueue {
  let hasStarted = false;
  let isHeld = false;
  let isClosed = false;
  const early: Steer[] = [];
  const waiting: Steer[] = [];
  const handedOver = new Set<Promise<void>>();

  const report = ({ steerId }: Steer, outcome: "taken" | "returned") => onEvent({ type: "steer", steerId, outcome });

  /**
   * While pi is idle, its `steer` would wait for the next turn. `prompt` starts a run in this turn
   * instead.
   */
  function handOver(steer: Steer): void {
    waiting.push(steer);
    const options = { ...getPromptOptions(steer.message), streamingBehavior: "steer" } as const;
    const over = session.prompt(steer.message.text, options).catch(() => {
      const index = waiting.indexOf(steer);
      if (index < 0) return;
      waiting.splice(index, 1);
      report(steer, "returned");
    });
    handedOver.add(over);
  }

  function giveBack(): void {
    // pi would deliver them in the next turn.
    if (waiting.length > 0) session.clearQueue();
    for (const steer of [...waiting.splice(0), ...early.splice(0)]) report(steer, "returned");
  }

  return {
    push(steerId, message) {
      const steer = { steerId, message };
      if (isClosed) report(steer, "returned");
      else if (hasStarted && !isHeld) handOver(steer);
      else early.push(steer);
    },
    begin() {
      if (hasStarted || isHeld) return;
      hasStarted = true;
      for (const steer of early.splice(0)) handOver(steer);
    },
    take(text) {
      // pi may append a note about an image to the text.
      const index = waiting.findIndex(({ message }) => text.startsWith(message.text));
      const [taken] = index < 0 ? [] : waiting.splice(index, 1);
      if (taken) report(taken, "taken");
      return taken !== undefined;
    },
    isEmpty: () => waiting.length === 0 && early.length === 0,
    async idle() {
      // A steer that arrived as a run ended has started another run, in which more may arrive.
      for (const over of handedOver) await over;
    },
    giveBack,
    hold() {
      isHeld = true;
    },
    close() {
      isClosed = true;
      giveBack();
    },
  };
}
