// A button that copies a text, and says that it did.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

const saidMs = 2_000;

export function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setIsCopied(true);
      }}
    >
      <Icon className="size-4" aria-hidden="true" /> {isCopied ? "Copied" : "Copy"}
    </Button>
  );
}
