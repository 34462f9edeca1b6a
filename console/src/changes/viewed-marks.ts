// The viewed marks of a session, kept in this browser.
import { useCallback, useState } from "react";
import { markViewed, type ViewedMarks } from "./viewed.ts";

const keyOf = (sessionId: string) => `viewed:${sessionId}`;

function readMarks(sessionId: string): ViewedMarks {
  try {
    return JSON.parse(localStorage.getItem(keyOf(sessionId)) ?? "{}");
  } catch {
    return {};
  }
}

export function useViewedMarks(sessionId: string) {
  const [marks, setMarks] = useState(() => readMarks(sessionId));
  const mark = useCallback(
    (path: string, source: string, viewed: boolean) =>
      setMarks((before) => {
        const after = markViewed(before, path, source, viewed);
        try {
          localStorage.setItem(keyOf(sessionId), JSON.stringify(after));
        } catch {
          // Without room the marks hold until the page is closed.
        }
        return after;
      }),
    [sessionId],
  );
  return [marks, mark] as const;
}
