// What a person opened in a conversation. It outlives the drawing of its row, which ends when the
// row is far from what is seen.
import { useCallback, useState } from "react";
import { useConversation } from "./use-conversation.ts";

/** Like `useState`, and a later drawing under the same key begins with the last value. */
export function useKept<T>(key: string | null, first: T): [value: T, change: (next: T) => void] {
  const { kept } = useConversation();
  const [value, setValue] = useState<T>(() => (key !== null && kept.has(key) ? (kept.get(key) as T) : first));
  const change = useCallback(
    (next: T) => {
      if (key !== null) kept.set(key, next);
      setValue(next);
    },
    [kept, key],
  );
  return [value, change];
}
