// Whether an element is near to what is seen of the list that it is in. What is far keeps its
// height and its words only, so a long conversation has few nodes.
import { type RefObject, useEffect, useRef, useState } from "react";
import { useConversation } from "./use-conversation.ts";

/** About two screens, so that a fast hand meets rows that are drawn. */
const nearPixels = 1_500;

type Listener = (entry: IntersectionObserverEntry) => void;
const listeners = new WeakMap<Element, Listener>();
const observers = new WeakMap<Element, IntersectionObserver>();

/** One observer for each list, because an observer for each row is felt. */
function findObserver(node: Element): IntersectionObserver {
  let list = node.parentElement;
  while (list?.parentElement && !/auto|scroll/.test(getComputedStyle(list).overflowY)) list = list.parentElement;
  const root = list ?? document.documentElement;
  const known = observers.get(root);
  if (known) return known;
  const made = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) listeners.get(entry.target)?.(entry);
    },
    { root: root.parentElement ? root : null, rootMargin: `${nearPixels}px 0px` },
  );
  observers.set(root, made);
  return made;
}

/** True while the keyboard or a choice of text is in an element. */
function isHeld(node: Element): boolean {
  const chosen = getSelection();
  return (
    node.contains(document.activeElement) || (chosen !== null && !chosen.isCollapsed && chosen.containsNode(node, true))
  );
}

interface Near<T extends Element> {
  place: RefObject<T | null>;
  isNear: boolean;
  /** The last height that it had, or the guess. */
  height: number;
}

/** `key` names the height, so that a later drawing begins with it. */
export function useNear<T extends Element>(key: string, isNearAtFirst: boolean, guess: number): Near<T> {
  const { kept } = useConversation();
  const place = useRef<T>(null);
  const [isNear, setIsNear] = useState(isNearAtFirst);
  const heightKey = `height:${key}`;
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    const observer = findObserver(node);
    listeners.set(node, ({ isIntersecting, boundingClientRect: { height } }) => {
      if (!isIntersecting && height > 0) kept.set(heightKey, height);
      setIsNear(isIntersecting || isHeld(node));
    });
    observer.observe(node);
    return () => observer.unobserve(node);
  }, [kept, heightKey]);
  return { place, isNear, height: (kept.get(heightKey) as number | undefined) ?? guess };
}
