// Says how long nothing came of a running turn, once that is long.
import type { ShownMessage } from "@switchyard/client";
import { useEffect, useState } from "react";
import { formatDuration, useNow } from "../ui/time.tsx";

const longMs = 30_000;

export function Silence({ messages }: { messages: readonly ShownMessage[] }) {
  const now = useNow(1_000);
  const [last, setLast] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change counts.
  useEffect(() => setLast(Date.now()), [messages]);
  const block = messages.at(-1)?.blocks.at(-1);
  // A tool may work in silence, and its row counts the time.
  if (now - last < longMs || (block?.type === "tool" && block.status === "running")) return null;
  return (
    <p className="text-meta text-quiet tabular-nums">Nothing new from the model for {formatDuration(now - last)}.</p>
  );
}
