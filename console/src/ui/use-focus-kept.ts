// Keeps the keyboard near to where it was: when what had the focus leaves the page, the row that is
// now in its place gets it, instead of the page.
import { type FocusEvent, useLayoutEffect, useRef } from "react";

interface Held {
  box: HTMLElement;
  element: Element;
  row: HTMLElement | null;
  /** The place of the row; -1 for what is in none. */
  at: number;
}

/** A row that takes no focus itself has a link or a button that does. */
const focusRow = (row: HTMLElement) =>
  (row.matches("[tabindex]") ? row : row.querySelector<HTMLElement>("a, button"))?.focus();

/**
 * Returns what the element around the rows needs. `selector` names the rows, and `findOther` what
 * has the focus where no row is left.
 */
export function useFocusKept(selector: string, findOther: (box: HTMLElement) => HTMLElement | null | undefined) {
  const held = useRef<Held | null>(null);
  const listRows = (box: HTMLElement) => (box.isConnected ? [...box.querySelectorAll<HTMLElement>(selector)] : []);

  useLayoutEffect(() => {
    const had = held.current;
    if (!had) return;
    const rows = listRows(had.box);
    if (had.element.isConnected) {
      had.at = had.row ? rows.indexOf(had.row) : -1;
      return;
    }
    held.current = null;
    // The person, or another part of the page, has moved it on.
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const row = had.row?.isConnected ? had.row : had.at < 0 ? undefined : (rows[had.at] ?? rows.at(-1));
    if (row) focusRow(row);
    else findOther(had.box)?.focus();
    // What is disabled takes no focus. The next drawing tries again.
    if (document.activeElement === document.body) held.current ??= had;
  });

  return {
    onFocus: ({ currentTarget: box, target }: FocusEvent<HTMLElement>) => {
      const row = target.closest<HTMLElement>(selector);
      held.current = { box, element: target, row, at: row ? listRows(box).indexOf(row) : -1 };
    },
    onBlur: ({ target }: FocusEvent<HTMLElement>) => {
      // A button that is disabled while it works loses the focus, and may leave afterwards.
      if (!target.matches(":disabled")) held.current = null;
    },
  };
}
