// All keys of the console.
import { useState } from "react";
import { Check } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { keyWords } from "./shortcuts.ts";
import { hasSingleKeys, setSingleKeys } from "./single-keys.ts";

export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [isOn, setIsOn] = useState(hasSingleKeys);
  return (
    <Dialog title="Keys" startsAtTop isOpen={isOpen} onClose={onClose}>
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
      <div className="mt-4 border-line border-t pt-2">
        <Check
          checked={isOn}
          onChange={(next) => {
            setSingleKeys(next);
            setIsOn(next);
          }}
        >
          Single keys are on in this browser
        </Check>
        <p className="text-meta text-quiet">
          They work where nobody is typing. Without them, the account menu and ⌘K lead to this list.
        </p>
      </div>
    </Dialog>
  );
}
