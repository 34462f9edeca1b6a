// The state of pointing at elements of a preview: on or off, and why it ended. What was chosen is
// in the draft of the session.
import { useEffect, useRef, useState } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { addElement, maxElements } from "../composer/element.ts";
import { useOpenPanel } from "../panel/open-panel.ts";
import { type EndReason, endWords } from "./pointing.ts";
import type { PointingProps } from "./pointing-layer.tsx";

export interface Pointing {
  isOn: boolean;
  /** How many elements go along with the next message. */
  count: number;
  /** Why pointing ended without the person, or did not begin; null without a reason. */
  problem: string | null;
  /** What the layer over the app needs; null while nobody points. */
  layer: PointingProps | null;
  toggle: () => void;
  /** Ends pointing, and goes to the message. */
  finish: () => void;
}

/** As `max-lg` of the styles: there the panel covers the message. */
const narrow = matchMedia("(width < 64rem)");

/** On a touch screen too: the person has asked for the message, and so for the keyboard. */
const focusMessage = () => document.querySelector<HTMLElement>("[data-message-field]")?.focus();

/** `frameKey` names the frame that is shown: another frame was not pointed at. */
export function usePointing(
  session: { id: string; projectId: string },
  frontendName: string,
  frameKey: string | null,
): Pointing {
  const { draft, box } = useDraft({ projectId: session.projectId, sessionId: session.id });
  const open = useOpenPanel();
  const [frameOn, setFrameOn] = useState<string | null>(null);
  const [endReason, setEndReason] = useState<EndReason | null>(null);
  const [isRefused, setRefused] = useState(false);
  const isLeaving = useRef(false);
  const count = draft.elements.length;
  const isFull = count >= maxElements;
  const isOn = frameKey !== null && frameOn === frameKey && !isFull;

  useEffect(() => {
    if (frameOn !== null && !isOn) setFrameOn(null);
  }, [frameOn, isOn]);

  useEffect(() => {
    if (!isFull) setRefused(false);
  }, [isFull]);

  // The layer had the focus, and leaves the page. A focus that the person moved stays.
  useEffect(() => {
    if (!isOn) return;
    return () => {
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      document.querySelector<HTMLElement>("[data-point]")?.focus();
    };
  }, [isOn]);

  // A message that the panel covers takes no focus until the panel is gone.
  useEffect(
    () => () => {
      if (isLeaving.current) focusMessage();
    },
    [],
  );

  function toggle(): void {
    setEndReason(null);
    setRefused(isFull);
    setFrameOn(isOn || isFull ? null : frameKey);
  }

  function finish(): void {
    setFrameOn(null);
    setEndReason(null);
    setRefused(false);
    isLeaving.current = narrow.matches;
    if (narrow.matches) open(null);
    else focusMessage();
  }

  const layer: PointingProps = {
    frontendName,
    onChoice: (element) => box?.change((known) => ({ ...known, elements: addElement(known.elements, element) })),
    onCancel: () => setFrameOn(null),
    onEnd: (reason: EndReason) => {
      setFrameOn(null);
      setEndReason(reason);
    },
  };
  const full = isRefused && isFull ? `A message takes ${maxElements} elements. Remove one first.` : null;
  const problem = endReason ? endWords[endReason] : full;
  return { isOn, count, problem, layer: isOn ? layer : null, toggle, finish };
}
