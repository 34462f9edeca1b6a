// The hosts that running sandboxes asked for, the refused ones first, each with a way to list it.

import type { Schemas } from "@switchyard/client";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/section.tsx";
import { Name } from "../ui/visible-text.tsx";
import { toPattern } from "./network-form.ts";

interface NetworkSeenProps {
  seen: Schemas["ProjectNetwork"]["seen"];
  isOpen: boolean;
  /** The hosts that the form lists already. */
  listed: readonly string[];
  onAdd: (host: string) => void;
}

export function NetworkSeen({ seen, isOpen, listed, onAdd }: NetworkSeenProps) {
  const sorted = [...seen].sort(
    (one, other) => Number(one.isAllowed) - Number(other.isAllowed) || other.count - one.count,
  );
  return (
    <Section
      title="Seen recently"
      text="The hosts that running sandboxes asked for. To learn what a project needs, list no hosts, run a turn, and add what was refused."
    >
      {sorted.length === 0 && (
        <p className="text-quiet">
          {isOpen ? "Nothing is recorded while the network is open." : "No running sandbox has asked for a host."}
        </p>
      )}
      <ul className="divide-y divide-line">
        {sorted.map(({ host, port, isAllowed, count }) => {
          const pattern = toPattern({ host, port });
          return (
            <li key={`${host}:${port}:${isAllowed}`} className="flex min-h-11 flex-wrap items-center gap-x-3 py-1">
              <span className={`w-20 text-meta ${isAllowed ? "text-green-ink" : "text-red-ink"}`}>
                <span aria-hidden="true">{isAllowed ? "✓" : "✕"}</span> {isAllowed ? "allowed" : "refused"}
              </span>
              <Name className="min-w-0 flex-1 font-mono text-code [overflow-wrap:anywhere]">{`${host}:${port}`}</Name>
              <span className="text-meta text-quiet tabular-nums">
                {count} {count === 1 ? "time" : "times"}
              </span>
              {!isAllowed && (
                <Button kind="bare" disabled={listed.includes(pattern)} onClick={() => onAdd(pattern)}>
                  {listed.includes(pattern) ? "Listed" : "Add"}
                  <span className="sr-only"> {pattern}</span>
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
