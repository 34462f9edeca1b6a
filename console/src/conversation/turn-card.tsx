// One turn: what was asked, what the agent did, and how it ended.
import type { Schemas } from "@switchyard/client";
import { memo } from "react";
import type { ShownTurn } from "./transcript.tsx";

interface TurnCardProps {
  turn: ShownTurn;
  job: Schemas["Job"] | null;
  isNewest: boolean;
}

export const TurnCard = memo(function TurnCard({ turn, job }: TurnCardProps) {
  return (
    <article className="rounded-card border border-line bg-panel p-4">
      {turn.messages.map((message) => (
        <div key={message.id}>
          {message.content !== null && <p className="whitespace-pre-wrap text-prose">{message.content}</p>}
          {message.blocks.map((block, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a block is named by its place.
            <p key={at} className="whitespace-pre-wrap">
              {block.type === "text" ? block.content : block.type === "tool" ? block.title : block.type}
            </p>
          ))}
        </div>
      ))}
      {job?.error && <p className="text-red-ink">{job.error}</p>}
    </article>
  );
});
