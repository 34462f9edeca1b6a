// Asks before something that cannot be taken back.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import type { ReactNode } from "react";
import { Button, type ButtonKind } from "./button.tsx";
import { toVisibleName } from "./visible.ts";

interface ConfirmProps {
  isOpen: boolean;
  title: string;
  children: ReactNode;
  /** What the button says that does it. */
  word: string;
  kind?: ButtonKind;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirm({ isOpen, title, children, word, kind = "main", onConfirm, onClose }: ConfirmProps) {
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <AlertDialog.Popup
          className="-translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-2rem))] rounded-card border border-line bg-panel p-5 shadow-xl"
          // Escape closes only this, and not the dialog below it.
          onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
        >
          <AlertDialog.Title className="font-bold text-title">{toVisibleName(title)}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-quiet text-ui" render={<div />}>
            {children}
          </AlertDialog.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Close render={<Button kind="bare" />}>Cancel</AlertDialog.Close>
            <Button kind={kind} onClick={onConfirm}>
              {word}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
