// Messages handed to pi while it works. They wait here until pi's first answer is under way, then in pi's own queue, until they are in
// the conversation or given back.
import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { AgentEvent, AgentMessage } from "../agent.ts";
import { promptOptions } from "./prompt-options.ts";

export interface SteerQueue {
  push(steerId: string, message: AgentMessage): void;
  /** pi answers: a message handed over now comes after the prompt, in a request of its own. */
  begin(): void;
  /** A message of a user is in the conversation. True when it was one of these. */
  take(text: string): boolean;
  isEmpty(): boolean;
  /** Settles when pi has taken note of every message handed over, and has worked through those that began a run. */
  idle(): Promise<void>;
  /** Gives back what pi has not taken, now or at any later time. */
  close(): void;
  /** Gives back what pi has not taken by now. */
  giveBack(): void;
}

interface Steer {
  steerId: string;
  message: AgentMessage;
}

/** A queue of one turn of the session. */
export function createSteerQueue(session: AgentSession, onEvent: (event: AgentEvent) => void): SteerQueue {
  let hasBegun = false;
  let isClosed = false;
  const early: Steer[] = [];
  const waiting: Steer[] = [];
  const handedOver = new Set<Promise<void>>();

  const tell = ({ steerId }: Steer, outcome: "taken" | "returned") => onEvent({ type: "steer", steerId, outcome });

  /** `steer` of pi, given while nothing runs, would wait for the next turn; this starts a run instead, which belongs to this turn. */
  function handOver(steer: Steer): void {
    waiting.push(steer);
    const options = { ...promptOptions(steer.message), streamingBehavior: "steer" } as const;
    const over = session.prompt(steer.message.text, options).catch(() => {
      const index = waiting.indexOf(steer);
      if (index < 0) return;
      waiting.splice(index, 1);
      tell(steer, "returned");
    });
    handedOver.add(over);
  }

  function giveBack(): void {
    // pi would keep them for the next turn.
    if (waiting.length > 0) session.clearQueue();
    for (const steer of [...waiting.splice(0), ...early.splice(0)]) tell(steer, "returned");
  }

  return {
    push(steerId, message) {
      const steer = { steerId, message };
      if (isClosed) tell(steer, "returned");
      else if (hasBegun) handOver(steer);
      else early.push(steer);
    },
    begin() {
      if (hasBegun) return;
      hasBegun = true;
      for (const steer of early.splice(0)) handOver(steer);
    },
    take(text) {
      // pi may add a note about an image behind the text.
      const index = waiting.findIndex(({ message }) => text.startsWith(message.text));
      const [taken] = index < 0 ? [] : waiting.splice(index, 1);
      if (taken) tell(taken, "taken");
      return taken !== undefined;
    },
    isEmpty: () => waiting.length === 0 && early.length === 0,
    async idle() {
      // One that came as a run ended has begun another, in which more may come.
      for (const over of handedOver) await over;
    },
    giveBack,
    close() {
      isClosed = true;
      giveBack();
    },
  };
}
