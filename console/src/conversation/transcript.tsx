// The conversation: a turn is one card, the newest last.
import type { SessionState, ShownMessage } from "@switchyard/client";
import { useMemo } from "react";
import type { LiveSession } from "../session/live-session.ts";
import { TurnCard } from "./turn-card.tsx";

export interface ShownTurn {
  jobId: string;
  messages: ShownMessage[];
}

/** The turns of a conversation, in order. */
export function listTurns(messages: readonly ShownMessage[]): ShownTurn[] {
  const turns = Map.groupBy(messages, ({ jobId }) => jobId);
  return [...turns].map(([jobId, ofTurn]) => ({ jobId, messages: ofTurn }));
}

export function Transcript({ state }: { live: LiveSession; state: SessionState }) {
  const turns = useMemo(() => listTurns(state.messages), [state.messages]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" role="feed" aria-label="Conversation">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-6">
        {turns.map((turn, at) => (
          <TurnCard
            key={turn.jobId}
            turn={turn}
            job={state.jobs.find(({ id }) => id === turn.jobId) ?? null}
            isNewest={at === turns.length - 1}
          />
        ))}
      </div>
    </div>
  );
}
