// The steers that the running turn was given and has not taken yet, of everybody.
import type { Schemas } from "@switchyard/client";
import { CornerDownRight } from "lucide-react";
import { Name, Prose } from "../ui/visible-text.tsx";
import { nameAuthor } from "./queue.ts";

interface SteerListProps {
  steers: readonly Schemas["WaitingSteer"][];
  userId: string | null;
}

export function SteerList({ steers, userId }: SteerListProps) {
  if (steers.length === 0) return null;
  return (
    <ul aria-label="Steers that the turn has not taken yet" className="mt-2 flex flex-col gap-2">
      {steers.map(({ steerId, content, author }) => (
        <li key={steerId} className="rounded-block border border-line border-dashed bg-panel px-4 py-3">
          <p className="text-meta text-quiet">
            <Name>{nameAuthor(author, userId)}</Name>
          </p>
          <p dir="auto" className="line-clamp-4 whitespace-pre-wrap text-prose [overflow-wrap:anywhere]">
            <Prose>{content || "Files"}</Prose>
          </p>
          <p role="status" className="mt-1 flex items-center gap-1 text-accent text-ui">
            <CornerDownRight className="size-3.5 shrink-0" aria-hidden="true" /> Steers into this turn as soon as its
            step ends
          </p>
        </li>
      ))}
    </ul>
  );
}
