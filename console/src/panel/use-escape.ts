// Escape closes the panel wherever the focus is, unless it means something else there.
import { useEffect } from "react";

/** What is open and closes by Escape itself: a dialog, a menu, or the list of a field. */
const overlays =
  "[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [aria-haspopup][aria-expanded=true], dialog";

export function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A field that takes Escape for itself says so.
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      // An overlay that another listener has just closed is still on the way of the event.
      if (event.composedPath().some((node) => node instanceof Element && node.matches(overlays))) return;
      event.preventDefault();
      onEscape();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onEscape]);
}
