// The turns of a conversation, as its parts draw them.
import { useMemo, useRef } from "react";
import { listTurns, type Turn } from "./turns.ts";
import type { Messages } from "./use-messages.ts";

/** The turns, each the same object until its messages change. */
export function useTurns(messages: Messages["messages"]): Turn[] {
  const known = useRef<Turn[]>([]);
  return useMemo(() => {
    known.current = listTurns(messages, known.current);
    return known.current;
  }, [messages]);
}
