// Leaving: the platform has asked the program to end, as it does before it moves a container. A
// running turn continues and its work is saved; only then does the program end. Terminals end
// first, because the service saves the work of one after its end. No new turn starts meanwhile: the
// service starts it in another sandbox. A sandbox that could not be restored ends too, and has
// nothing to save.
import { setInterval } from "node:timers";
import type { Terminals } from "./terminal/terminals.ts";
import type { Turns } from "./turn/turns.ts";

/**
 * The platform waits a quarter of an hour. The rest of that time is for ending the turn and saving
 * its work.
 */
const longestTurnMs = 12 * 60_000;
const lookEveryMs = 100;

const movedOn =
  "The sandbox had to move to another machine while the turn ran; its work up to then is in the checkout. Send the message again to continue.";

export interface Leave {
  /** Starts leaving. Later calls do nothing. */
  begin(): void;
  /** Starts leaving without a save. Only the last events of turns keep the program running. */
  giveUp(): void;
  /** Keeps the program running until the act is done: a save, or a change of the checkout. */
  holdFor<Result>(act: () => Promise<Result> | Result): Promise<Result>;
}

interface LeaveOptions {
  turns: Turns;
  terminals: Terminals;
  quietMs: number;
  end(): void;
}

/**
 * Calls `end` once nothing has been active for `quietMs`. The service saves the work of a turn or a
 * terminal shortly after its end, so it needs that time.
 */
export function createLeave({ turns, terminals, quietMs, end }: LeaveOptions): Leave {
  let timer: NodeJS.Timeout | null = null;
  let held = 0;
  let lastBusyAt = 0;
  let isGivenUp = false;

  function look(startedAt: number): void {
    const now = Date.now();
    if (held > 0 || turns.hasUndelivered()) lastBusyAt = now;
    const isQuiet = isGivenUp ? !turns.hasUndelivered() : now - lastBusyAt >= quietMs;
    if (now - startedAt >= longestTurnMs) void turns.endAll({ status: "failed", error: movedOn, errorCode: null });
    if (!isQuiet) return;
    if (timer) clearInterval(timer);
    end();
  }

  function begin(): void {
    if (timer) return;
    const startedAt = Date.now();
    lastBusyAt = startedAt;
    turns.takeNoMore();
    timer = setInterval(look, lookEveryMs, startedAt);
    // One that cannot be ended must not keep the program from ending.
    void holdFor(() => terminals.stopAll()).catch(() => {});
  }

  async function holdFor<Result>(act: () => Promise<Result> | Result): Promise<Result> {
    held += 1;
    try {
      return await act();
    } finally {
      held -= 1;
      lastBusyAt = Date.now();
    }
  }

  return {
    begin,
    holdFor,
    giveUp() {
      isGivenUp = true;
      begin();
    },
  };
}
