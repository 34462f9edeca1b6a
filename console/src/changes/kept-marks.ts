// Marks of a session that this browser keeps: which files were viewed.
import { useCallback, useEffect, useRef, useState } from "react";

type Marks = Readonly<Record<string, string>>;

function readMarks(key: string): Marks {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

/** Deletes the marks of everybody who has used this browser. */
export function clearMarks(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith("viewed:")) localStorage.removeItem(key);
}

/** The marks under a key, and what changes them. */
export function useKeptMarks(key: string): readonly [Marks, (change: (before: Marks) => Marks) => void] {
  const [marks, setMarks] = useState(() => readMarks(key));
  const newest = useRef(marks);
  useEffect(() => {
    // Another window marks files of the same session.
    const onStorage = (event: StorageEvent) => {
      if (event.key !== key) return;
      newest.current = readMarks(key);
      setMarks(newest.current);
    };
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, [key]);
  const change = useCallback(
    (toNext: (before: Marks) => Marks) => {
      newest.current = toNext(newest.current);
      try {
        localStorage.setItem(key, JSON.stringify(newest.current));
      } catch {
        // Without room the marks hold until the page is closed.
      }
      setMarks(newest.current);
    },
    [key],
  );
  return [marks, change];
}
