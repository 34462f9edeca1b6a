// A secret that is shown once, with the button that copies it.
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

interface ShownOnceProps {
  /** What it is: `key`, `secret`. */
  noun: string;
  text: string;
  onDone: () => void;
}

export function ShownOnce({ noun, text, onDone }: ShownOnceProps) {
  return (
    <div role="status" className="my-4 rounded-block bg-accent-tint p-4">
      <p className="font-medium">This is the {noun}. Copy it now: nobody can show it again.</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 rounded-control bg-panel px-3 py-2 font-mono text-code [overflow-wrap:anywhere]">
          {text}
        </code>
        <CopyButton text={text} />
        <Button kind="bare" onClick={onDone}>
          I have it
        </Button>
      </div>
    </div>
  );
}
