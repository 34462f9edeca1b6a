// What a person does with a session in a list or on the board: start it, move it, end it, and give
// it a priority.
import { useState } from "react";
import type { Session } from "../session/queries.ts";
import { changeSession, endSession, startSession } from "./changes.ts";
import { isFinal, type Loss } from "./moves.ts";

type Ending = { status: "completed" | "archived"; loss: Loss };

export interface SessionActions {
  /** What is being done, in a word; null while nothing is. */
  busy: string | null;
  error: unknown;
  /** An end that would lose work, until the person has decided. */
  ending: Ending | null;
  start: () => void;
  move: (to: Session["status"]) => void;
  setPriority: (to: Session["priority"]) => void;
  /** Ends the session although that loses work. */
  endStill: () => void;
  keep: () => void;
  clearError: () => void;
}

export function useSessionActions(session: Session): SessionActions {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);

  async function act(word: string, doIt: () => Promise<unknown>): Promise<void> {
    setError(null);
    setBusy(word);
    try {
      await doIt();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(null);
    }
  }
  const end = (to: Ending["status"], mayLoseWork: boolean) =>
    act(to === "completed" ? "Completing…" : "Archiving…", async () => {
      const loss = await endSession(session, to, mayLoseWork);
      setEnding(loss && { status: to, loss });
    });

  return {
    busy,
    error,
    ending,
    start: () => act("Starting…", () => startSession(session)),
    move: (to) => {
      if (to === session.status) return;
      if (isFinal(to)) end(to, false);
      else act("Moving…", () => changeSession(session, { status: to }));
    },
    setPriority: (to) => {
      if (to !== session.priority) act("Saving…", () => changeSession(session, { priority: to }));
    },
    endStill: () => {
      setEnding(null);
      if (ending) end(ending.status, true);
    },
    keep: () => setEnding(null),
    clearError: () => setError(null),
  };
}
