// A list that follows its end while the reader is there, and stays where they read otherwise.
import { useRouter } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isFollowing, type Place, toPlace } from "./following.ts";

/** How long a place is held: until what was put above is drawn, or until a turn is drawn open. */
const holdMs = 150;
const goToMs = 800;

export interface Follow {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  goToEnd: () => void;
  /** Leaves the end, and brings an element to the top. */
  goTo: (element: HTMLElement) => void;
  /** Called before something is put above: what is seen keeps its place. */
  holdPlace: () => void;
}

export function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const held = useRef<{ element: Element; top: number } | null>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);

  /** Where the list was when it was last looked at. */
  const last = useRef<Place>({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 });

  // A move of the reader is also looked for before each move to the end: while much is streamed,
  // that comes before the event of the scroll.
  const look = useCallback((box: HTMLElement) => {
    const now = toPlace(box);
    follows.current = isFollowing(follows.current, last.current, now, held.current !== null);
    last.current = now;
    // The browser holds what is seen in its place, which looks like a move of the reader. At the
    // end there is nothing to hold.
    if (!held.current) box.style.overflowAnchor = follows.current ? "none" : "";
  }, []);

  const moveToEnd = useCallback((box: HTMLElement) => {
    box.scrollTop = box.scrollHeight;
    last.current = toPlace(box);
  }, []);

  const goToEnd = useCallback(() => {
    follows.current = true;
    setIsAtEnd(true);
    if (scroller.current) moveToEnd(scroller.current);
  }, [moveToEnd]);

  /** Keeps an element where it is while what is above and below it is drawn. */
  const hold = useCallback((box: HTMLElement, element: Element, ms: number) => {
    const place = { element, top: element.getBoundingClientRect().top };
    held.current = place;
    setTimeout(() => {
      if (held.current !== place) return;
      held.current = null;
      box.style.overflowAnchor = "";
    }, ms);
  }, []);

  const goTo = useCallback(
    (element: HTMLElement) => {
      follows.current = false;
      setIsAtEnd(false);
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: "start" });
      const box = scroller.current;
      if (!box) return;
      box.style.overflowAnchor = "none";
      last.current = toPlace(box);
      hold(box, element, goToMs);
    },
    [hold],
  );

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    if (held.current?.element.isConnected) {
      box.scrollTop += held.current.element.getBoundingClientRect().top - held.current.top;
      last.current = toPlace(box);
      return;
    }
    const wasFollowing = follows.current;
    look(box);
    if (wasFollowing && follows.current) moveToEnd(box);
    setIsAtEnd(follows.current);
  }, [look, moveToEnd]);

  // After each drawing, before it is painted.
  useLayoutEffect(settle);

  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const onScroll = () => {
      look(box);
      setIsAtEnd(follows.current);
    };
    // Pictures and opened rows change the height without a drawing of the list.
    const sizes = new ResizeObserver(settle);
    for (const part of box.children) sizes.observe(part);
    sizes.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, [settle, look]);

  // The router moves each list back to where it was in an entry of the history, and knows lists by
  // this name. A list that follows its end was elsewhere then, so it has a new name on each page.
  const router = useRouter();
  useEffect(() => {
    const rename = () => scroller.current?.setAttribute("data-scroll-restoration-id", crypto.randomUUID());
    rename();
    return router.subscribe("onBeforeLoad", rename);
  }, [router]);

  const holdPlace = useCallback(() => {
    const box = scroller.current;
    const edge = box?.getBoundingClientRect().top ?? 0;
    const places = [...(content.current?.querySelectorAll("[data-place]") ?? [])];
    const element = places.find((one) => one.getBoundingClientRect().bottom > edge);
    if (!box || !element) return;
    box.style.overflowAnchor = "none";
    hold(box, element, holdMs);
  }, [hold]);

  return { scroller, content, isAtEnd, goToEnd, goTo, holdPlace };
}
