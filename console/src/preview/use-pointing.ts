// The state of pointing at elements of a preview: on or off, and why it ended. What was chosen is
// in the draft of the session.
import { useEffect, useState } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { addElement, maxElements } from "../composer/element.ts";
import { findField } from "../composer/find-field.ts";
import { useOpenPanel } from "../panel/open-panel.ts";
import { type EndReason, endWords } from "./pointing.ts";
import type { PointingProps } from "./pointing-layer.tsx";

export interface Pointing {
  isOn: boolean;
  /** How many elements go along with the next message. */
  count: number;
  /** Why pointing ended without the person; null without a reason. */
  problem: string | null;
  /** What the layer over the app needs; null while nobody points. */
  layer: PointingProps | null;
  toggle: () => void;
  /** Ends pointing, and goes to the message. */
  finish: () => void;
}

/** As `max-lg` of the styles: there the panel covers the message. */
const narrow = matchMedia("(width < 64rem)");

/** `frameKey` names the frame that is shown: another frame was not pointed at. */
export function usePointing(
  session: { id: string; projectId: string },
  frontendName: string,
  frameKey: string | null,
): Pointing {
  const { draft, box } = useDraft({ projectId: session.projectId, sessionId: session.id });
  const open = useOpenPanel();
  const [frameOn, setFrameOn] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const count = draft.elements.length;
  const isFull = count >= maxElements;
  const isOn = frameKey !== null && frameOn === frameKey && !isFull;

  useEffect(() => {
    if (frameOn !== null && !isOn) setFrameOn(null);
  }, [frameOn, isOn]);

  function toggle(): void {
    setProblem(isFull ? `A message takes ${maxElements} elements. Leave one out first.` : null);
    setFrameOn(isOn || isFull ? null : frameKey);
  }

  function finish(): void {
    setFrameOn(null);
    setProblem(null);
    if (narrow.matches) open(null);
    const next = narrow.matches ? document.getElementById("open-preview") : findField();
    next?.focus();
  }

  const layer: PointingProps = {
    frontendName,
    onChoice: (element) => box?.change((known) => ({ ...known, elements: addElement(known.elements, element) })),
    onCancel: () => setFrameOn(null),
    onEnd: (reason: EndReason) => {
      setFrameOn(null);
      setProblem(endWords[reason]);
    },
  };
  return { isOn, count, problem, layer: isOn ? layer : null, toggle, finish };
}
