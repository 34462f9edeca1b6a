// Listens to the keys of the console while the frame is shown.
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { earlyKeys } from "./early-keys.ts";
import { findNextRegion, readStroke } from "./shortcuts.ts";
import { hasSingleKeys } from "./single-keys.ts";

/** How long after `g` the next letter may come. */
const pairMs = 1_500;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select, [role=menu] *"));

/** The parts of a session's page. On a narrow window, the panel is the main part. */
const parts = ":is(main, [role=main], [role=complementary])";

/** Moves the focus between the rows of the part that has it, else of the page. */
function focusRow(step: 1 | -1): void {
  const listRows = (part: ParentNode | null | undefined, rows: string) => [
    ...(part?.querySelectorAll<HTMLElement>(rows) ?? []),
  ];
  const own = listRows(document.activeElement?.closest(parts), "[data-row]");
  const rows = own.length > 0 ? own : listRows(document, `${parts} [data-row]`);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : -1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows.at(next)?.focus();
}

/** Moves the focus between the rail, the page and the panel, as far as they are shown. */
function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>(`nav[data-region], ${parts}`)].filter(
    (region) => region.getClientRects().length > 0,
  );
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const region = regions[findNextRegion(regions.length, at, step)];
  if (!region) return;
  region.tabIndex = -1;
  region.focus({ preventScroll: true });
}

/** Presses the mark of the file in Changes that has the focus. */
function pressViewed(): void {
  document.activeElement?.closest("[data-file]")?.querySelector<HTMLElement>("[data-viewed]")?.click();
}

const isDialogOpen = (): boolean => document.querySelector("[role=dialog], [role=alertdialog]") !== null;

/** Keeps a key for what a shortcut opens, until it is there. */
function keepEarlyKey(event: KeyboardEvent): void {
  if (isDialogOpen()) earlyKeys.take();
  if (event.isComposing || !earlyKeys.add(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Who points at something else no longer waits. */
const endWait = () => earlyKeys.take();

interface Openers {
  openPalette: () => void;
  openHelp: () => void;
}

export function useShortcuts({ openPalette, openHelp }: Openers): void {
  const navigate = useNavigate();
  useEffect(() => {
    // Times of strokes, not of their handling: a busy page may handle them late.
    let gAt = Number.NEGATIVE_INFINITY;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const stroke = {
        key: event.key,
        isModified: event.ctrlKey || event.metaKey || event.altKey,
        isCommand: (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey,
        isShift: event.shiftKey,
        isInField: isField(event.target),
        isInDialog: isDialogOpen(),
      };
      const { command, isG } = readStroke(stroke, event.timeStamp - gAt < pairMs, hasSingleKeys());
      gAt = isG ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (command === null) return;
      event.preventDefault();
      if (command === "find" || command === "help" || command === "new") earlyKeys.start();
      if (command === "find") openPalette();
      else if (command === "help") openHelp();
      else if (command === "next" || command === "previous") focusRow(command === "next" ? 1 : -1);
      else if (command === "region" || command === "region-before") focusRegion(command === "region" ? 1 : -1);
      else if (command === "viewed") pressViewed();
      else if (command === "point") document.querySelector<HTMLElement>("[data-point]")?.click();
      else if (command === "new") navigate({ to: "/", hash: "new" });
      else navigate({ to: command === "inbox" ? "/" : `/${command}` });
    };
    addEventListener("keydown", keepEarlyKey, true);
    addEventListener("pointerdown", endWait, true);
    addEventListener("keydown", listen);
    return () => {
      removeEventListener("keydown", keepEarlyKey, true);
      removeEventListener("pointerdown", endWait, true);
      removeEventListener("keydown", listen);
    };
  }, [navigate, openPalette, openHelp]);
}
