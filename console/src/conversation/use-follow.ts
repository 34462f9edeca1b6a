// A list that follows its end while the reader is there, and stays where they read otherwise.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** How near to the end counts as being there. */
const nearPixels = 48;

export interface Follow {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  goToEnd: () => void;
  /** Called before something is put above: what is seen keeps its place. */
  holdPlace: () => void;
}

export function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const held = useRef<{ element: Element; top: number } | null>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const goToEnd = useCallback(() => {
    const box = scroller.current;
    follows.current = true;
    setIsAtEnd(true);
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    if (held.current?.element.isConnected) {
      box.scrollTop += held.current.element.getBoundingClientRect().top - held.current.top;
    } else if (follows.current) box.scrollTop = box.scrollHeight;
  }, []);

  // After each drawing, before it is painted.
  useLayoutEffect(settle);

  useEffect(() => {
    const box = scroller.current;
    const inside = content.current;
    if (!box || !inside) return;
    let lastTop = box.scrollTop;
    let lastHeight = box.scrollHeight;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = box;
      const isNear = scrollHeight - scrollTop - clientHeight < nearPixels;
      // Only a move up by the reader ends it, not content that grows.
      if (isNear) follows.current = true;
      else if (scrollTop < lastTop && scrollHeight >= lastHeight) follows.current = false;
      lastTop = scrollTop;
      lastHeight = scrollHeight;
      setIsAtEnd(follows.current);
    };
    // Pictures and opened rows change the height without a drawing of the list.
    const sizes = new ResizeObserver(settle);
    sizes.observe(inside);
    sizes.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, [settle]);

  const holdPlace = useCallback(() => {
    const box = scroller.current;
    const edge = box?.getBoundingClientRect().top ?? 0;
    const places = [...(content.current?.querySelectorAll("[data-place]") ?? [])];
    const element = places.find((one) => one.getBoundingClientRect().bottom > edge);
    if (!box || !element) return;
    box.style.overflowAnchor = "none";
    held.current = { element, top: element.getBoundingClientRect().top };
    setTimeout(() => {
      held.current = null;
      box.style.overflowAnchor = "";
    }, 150);
  }, []);

  return { scroller, content, isAtEnd, goToEnd, holdPlace };
}
