// A dialog over the page. Escape and a click on the page close it, and focus returns.
import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { toVisibleName } from "./visible.ts";

interface DialogProps {
  title: string;
  /** Hides the title from the eye where the content says it already. */
  isTitleHidden?: boolean;
  /** Begins at the top of a content whose first field is far below. */
  startsAtTop?: boolean;
  isOpen: boolean;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

export function Dialog({
  title,
  isTitleHidden = false,
  startsAtTop = false,
  isOpen,
  onClose,
  className = "p-6",
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          ref={popup}
          initialFocus={startsAtTop ? popup : undefined}
          className={`fixed top-[12dvh] left-1/2 z-50 max-h-[76dvh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 overflow-y-auto rounded-card border border-line bg-panel text-ink text-ui shadow-xl outline-none ${className}`}
        >
          <Base.Title className={isTitleHidden ? "sr-only" : "font-bold text-title [overflow-wrap:anywhere]"}>
            {toVisibleName(title)}
          </Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
