// A button that copies a text, and says that it did.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type ButtonKind } from "./button.tsx";

const saidMs = 2_000;

export const copyWords = { copied: "Copied", failed: "Select it and copy" };

interface CopyButtonProps {
  text: string;
  kind?: ButtonKind;
  word?: string;
  /** What it copies, where a page has several, for those who do not see the place. */
  about?: string;
}

/** Copies a text; the outcome is kept for a moment. */
export function useCopy(text: string) {
  const [outcome, setOutcome] = useState<keyof typeof copyWords | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), saidMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // Without https, or without permission, a browser lets no page write.
      setOutcome("failed");
    }
  };
  return { outcome, copy };
}

export function CopyButton({ text, kind, word = "Copy", about }: CopyButtonProps) {
  const { outcome, copy } = useCopy(text);
  const Icon = outcome === "copied" ? Check : Copy;
  return (
    <Button {...(kind && { kind })} onClick={copy}>
      <Icon className="size-4" aria-hidden="true" /> {outcome === null ? word : copyWords[outcome]}
      {about && <span className="sr-only"> {about}</span>}
    </Button>
  );
}
