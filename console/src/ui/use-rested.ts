// What is typed, once the person pauses: not every key is a search.
import { useEffect, useState } from "react";

/** What is typed is searched for once it rests this long. */
const restMs = 250;

/** A text once it has not changed for a while. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
