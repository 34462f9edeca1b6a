// The layer over the app while a person points. It is a part of the console, so a click on it is
// the person's: the app gets no event, and is only asked what is at a place.
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import type { PointedElement } from "../composer/element.ts";
import { Pointer } from "./pointer.ts";
import type { Box, EndReason, Place, Step } from "./pointing.ts";

export interface PointingProps {
  frontendName: string;
  onChoice: (element: PointedElement) => void;
  onCancel: () => void;
  onEnd: (reason: EndReason) => void;
}

interface LayerProps extends PointingProps {
  frame: RefObject<HTMLIFrameElement | null>;
  /** True once the frame has loaded a page. */
  isLoaded: RefObject<boolean>;
  /** The origin of the preview. A page of another one gets no message. */
  origin: string;
  /** How much larger a pixel is on the screen than in the frame. */
  scale: number;
}

type Clicked = Pick<globalThis.MouseEvent, "clientX" | "clientY">;

const steps: Record<string, Step> = {
  ArrowUp: "parent",
  ArrowDown: "child",
  ArrowRight: "next",
  ArrowLeft: "previous",
};

export function PointingLayer({ frame, isLoaded, origin, scale, ...listener }: LayerProps) {
  const layer = useRef<HTMLButtonElement>(null);
  const pointer = useRef<Pointer | null>(null);
  const dragged = useRef<Place | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const newest = useRef(listener);
  newest.current = listener;

  useEffect(() => {
    const node = frame.current;
    const made = new Pointer({
      frontendName: newest.current.frontendName,
      isLoaded: isLoaded.current,
      connect(isAgain, take) {
        const { port1, port2 } = new MessageChannel();
        const greeting = isAgain ? "switchyard-pointing-again" : "switchyard-pointing";
        node?.contentWindow?.postMessage(greeting, origin, [port2]);
        port1.onmessage = ({ data }) => take(data);
        return { send: (asked) => port1.postMessage(asked), close: () => port1.close() };
      },
      // A finger that scrolls does not point.
      onOutline: (shown, isChoice) => setBox(isChoice || dragged.current === null ? shown : null),
      onChoice: (element) => newest.current.onChoice(element),
      onEnd: (reason) => newest.current.onEnd(reason),
    });
    pointer.current = made;
    layer.current?.focus();
    const connectAgain = () => made.connectAgain();
    node?.addEventListener("load", connectAgain);
    return () => {
      node?.removeEventListener("load", connectAgain);
      made.end();
    };
  }, [frame, isLoaded, origin]);

  // React listens to the wheel passively, and then the panel could scroll as well.
  useEffect(() => {
    const node = layer.current;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const at = placeOf(event, layer.current, scale);
      pointer.current?.ask({ at, scroll: { x: event.deltaX, y: event.deltaY }, isChoice: false });
    };
    node?.addEventListener("wheel", turn, { passive: false });
    return () => node?.removeEventListener("wheel", turn);
  }, [scale]);

  // Some browsers give the focus of a clicked button to the page.
  useEffect(() => {
    const cancel = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      newest.current.onCancel();
    };
    addEventListener("keydown", cancel, true);
    return () => removeEventListener("keydown", cancel, true);
  }, []);

  function move(event: PointerEvent<HTMLElement>): void {
    const at = placeOf(event, layer.current, scale);
    const from = dragged.current;
    if (event.pointerType !== "touch") pointer.current?.ask({ at, isChoice: false });
    else if (from) {
      dragged.current = at;
      pointer.current?.ask({ at, scroll: { x: from.x - at.x, y: from.y - at.y }, isChoice: false });
    }
  }

  function choose(event: MouseEvent<HTMLElement>): void {
    // Enter clicks too, and means the element that is outlined.
    const at = event.detail === 0 ? {} : { at: placeOf(event, layer.current, scale) };
    pointer.current?.ask({ ...at, isChoice: true });
  }

  function press(event: KeyboardEvent): void {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    pointer.current?.ask({ step, isChoice: false });
  }

  return (
    <button
      ref={layer}
      type="button"
      aria-label="The app: click an element. Arrow keys go to the element around, within or beside, Enter chooses it, Escape ends."
      className="absolute inset-0 cursor-crosshair touch-none overflow-hidden outline-2 outline-accent -outline-offset-2"
      onPointerDown={(event) => {
        dragged.current = event.pointerType === "touch" ? placeOf(event, layer.current, scale) : null;
      }}
      onPointerMove={move}
      onPointerUp={() => {
        dragged.current = null;
      }}
      onClick={choose}
      onKeyDown={press}
    >
      {box && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute rounded-[2px] bg-accent/15 outline-2 outline-accent"
          style={{ left: box.x, top: box.y, width: box.width, height: box.height }}
        />
      )}
    </button>
  );
}

/** Where an event is in the frame. */
function placeOf({ clientX, clientY }: Clicked, layer: HTMLElement | null, scale: number): Place {
  const { left = 0, top = 0 } = layer?.getBoundingClientRect() ?? {};
  return { x: (clientX - left) / scale, y: (clientY - top) / scale };
}
