// Marks of a session that this browser keeps: viewed files and sent comments.
import { useCallback, useState } from "react";

type Marks = Readonly<Record<string, string>>;

function readMarks(key: string): Marks {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

/** The marks under a key, and what changes them. */
export function useKeptMarks(key: string): readonly [Marks, (change: (before: Marks) => Marks) => void] {
  const [marks, setMarks] = useState(() => readMarks(key));
  const change = useCallback(
    (toNext: (before: Marks) => Marks) =>
      setMarks((before) => {
        const after = toNext(before);
        try {
          localStorage.setItem(key, JSON.stringify(after));
        } catch {
          // Without room the marks hold until the page is closed.
        }
        return after;
      }),
    [key],
  );
  return [marks, change];
}
