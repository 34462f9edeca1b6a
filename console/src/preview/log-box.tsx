// A log at its end. A line that is longer than the box is wrapped.
import { useEffect, useRef } from "react";

export function LogBox({ text, label, className }: { text: string; label: string; className: string }) {
  const box = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line moves it to the end.
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it.
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={label}
      className={`overflow-auto whitespace-pre-wrap font-mono [overflow-wrap:anywhere] ${className}`}
    >
      {text}
    </pre>
  );
}
