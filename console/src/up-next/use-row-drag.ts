// A row of a list is dragged by its handle, with a mouse, a pen or a finger. The other rows make
// room while it is dragged. Escape gives it up.
import { type CSSProperties, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { findPlace, type RowPlace, sumBetween } from "./queue.ts";

interface Drag {
  from: number;
  to: number;
  /** How far the row is from its place, in pixels. */
  offset: number;
  isHeld: boolean;
  /** The rows as the drag found them. */
  ids: string;
}

/** So near to the edge of the list, it scrolls. */
const edgePixels = 28;
const pixelsAFrame = 6;

/** `ids` names the rows in their order: a drag ends where they change. */
export function useRowDrag(
  list: RefObject<HTMLElement | null>,
  ids: string,
  onDrop: (from: number, to: number) => void,
) {
  const [kept, setDrag] = useState<Drag | null>(null);
  const start = useRef({ y: 0, clientY: 0, rows: [] as RowPlace[] });
  const drag = kept?.ids === ids ? kept : null;
  const isHeld = drag?.isHeld ?? false;
  useEffect(() => setDrag((before) => (before?.ids === ids ? before : null)), [ids]);

  /** Where the pointer is in the list, however far that is scrolled. */
  const toListY = (clientY: number) => clientY + (list.current?.scrollTop ?? 0);

  function place(): void {
    const { y, clientY, rows } = start.current;
    setDrag((before) => before && { ...before, ...findPlace(rows, before.from, toListY(clientY) - y) });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the beginning and the end count.
  useEffect(() => {
    if (!isHeld) return;
    const giveUp = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      setDrag(null);
    };
    let frame = requestAnimationFrame(function scroll() {
      const box = list.current?.getBoundingClientRect();
      const { clientY } = start.current;
      const by = !box ? 0 : clientY < box.top + edgePixels ? -1 : clientY > box.bottom - edgePixels ? 1 : 0;
      if (by !== 0) {
        list.current?.scrollBy(0, by * pixelsAFrame);
        place();
      }
      frame = requestAnimationFrame(scroll);
    });
    addEventListener("keydown", giveUp, true);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("keydown", giveUp, true);
    };
  }, [isHeld]);

  const handle = (at: number) => ({
    onPointerDown: (event: PointerEvent) => {
      if (!event.isPrimary || event.button !== 0) return;
      // No text is chosen on the way.
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
      start.current = { y: toListY(event.clientY), clientY: event.clientY, rows };
      setDrag({ from: at, to: at, offset: 0, isHeld: true, ids });
    },
    onPointerMove: (event: PointerEvent) => {
      if (!isHeld || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
      start.current.clientY = event.clientY;
      place();
    },
    onPointerUp: () => {
      if (!drag?.isHeld) return;
      if (drag.from === drag.to) return setDrag(null);
      // The row waits in its new place until the list has the new order.
      setDrag({ ...drag, isHeld: false, offset: sumBetween(start.current.rows, drag.from, drag.to) });
      onDrop(drag.from, drag.to);
    },
    onPointerCancel: () => setDrag(null),
  });

  function style(at: number): CSSProperties | undefined {
    if (!drag) return undefined;
    if (at === drag.from) return { transform: `translateY(${drag.offset}px)` };
    const height = start.current.rows[drag.from]?.height ?? 0;
    if (at > drag.from && at <= drag.to) return { transform: `translateY(${-height}px)` };
    if (at < drag.from && at >= drag.to) return { transform: `translateY(${height}px)` };
    return { transform: "none" };
  }

  return { dragged: drag?.from ?? null, isHeld, handle, style };
}
