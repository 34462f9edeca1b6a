// Listens to the keys of the console while the frame is shown.
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { readStroke } from "./shortcuts.ts";

/** How long after `g` the next letter may come. */
const pairMs = 1_500;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select, [role=menu] *"));

/** Moves the focus between the rows of the page. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : -1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows.at(next)?.focus();
}

interface Openers {
  openPalette: () => void;
  openHelp: () => void;
}

export function useShortcuts({ openPalette, openHelp }: Openers): void {
  const navigate = useNavigate();
  useEffect(() => {
    let gAt = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const stroke = {
        key: event.key,
        isModified: event.ctrlKey || event.metaKey || event.altKey,
        isCommand: (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey,
        isInField: isField(event.target) || document.querySelector("[role=dialog], [role=alertdialog]") !== null,
      };
      const { command, isG } = readStroke(stroke, Date.now() - gAt < pairMs);
      gAt = isG ? Date.now() : 0;
      if (command === null) return;
      event.preventDefault();
      if (command === "find") openPalette();
      else if (command === "help") openHelp();
      else if (command === "next" || command === "previous") focusRow(command === "next" ? 1 : -1);
      else if (command === "point") document.querySelector<HTMLElement>("[data-point]")?.click();
      else if (command === "new") navigate({ to: "/", hash: "new" });
      else navigate({ to: command === "inbox" ? "/" : `/${command}` });
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [navigate, openPalette, openHelp]);
}
