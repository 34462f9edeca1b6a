// `[` and `]` go to the turn before and the one after, where nobody is typing.
import { type RefObject, useEffect } from "react";
import { hasSingleKeys } from "../shell/single-keys.ts";

export function useTurnKeys(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if ((key !== "[" && key !== "]") || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      if (!hasSingleKeys()) return;
      if (target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select")))
        return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      const turns = [...(content.current?.querySelectorAll<HTMLElement>("[data-turn]") ?? [])];
      const at = turns.findIndex((turn) => turn.contains(document.activeElement));
      const next = at === -1 ? turns.length - 1 : at + (key === "]" ? 1 : -1);
      const turn = turns[Math.min(turns.length - 1, Math.max(0, next))];
      if (!turn) return;
      event.preventDefault();
      turn.focus({ preventScroll: true });
      turn.scrollIntoView({ block: "start" });
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [content]);
}
