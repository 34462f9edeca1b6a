// All keys of the console.
import { Dialog } from "../ui/dialog.tsx";
import { keyWords } from "./shortcuts.ts";

export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <dl className="mt-4 grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {keyWords.map(([keys, word]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-md border border-line bg-sunk px-2 py-0.5 font-mono text-code">{keys}</kbd>
            </dt>
            <dd className="text-quiet">{word}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-meta text-quiet">Single letters work where nobody is typing.</p>
    </Dialog>
  );
}
