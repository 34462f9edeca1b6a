// The running app in a frame, in the size of a phone, a tablet or the panel. Over it, a person can
// point at its elements.
import { type RefObject, useEffect, useRef, useState } from "react";
import { PointingLayer, type PointingProps } from "./pointing-layer.tsx";

/** What makes a token valid for longer, at the host of a preview; as on the page of a link. */
const renewalPath = "/.well-known/switchyard-renewal";
const renewEveryMs = 300_000;
/** The preview may do what pages do, but neither navigates this page nor reads its address. */
const sandbox = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads";

export type FrameSize = 390 | 820 | null;

interface FrameProps {
  frame: RefObject<HTMLIFrameElement | null>;
  name: string;
  /**
   * The address with the newest token. The frame begins with the first one, and is not loaded
   * again.
   */
  url: string;
  size: FrameSize;
  /** Null while nobody points. */
  pointing: PointingProps | null;
}

/** The address at which the app has a page around it, which can say what is where in the app. */
function toPaneUrl(url: string): string {
  // That page is only for the service's own console, and not for the one that Vite serves.
  if (import.meta.hot) return url;
  const address = new URL(url);
  address.searchParams.set("svc_pane", "1");
  return address.href;
}

export function Frame({ frame, name, url, size, pointing }: FrameProps) {
  const [firstUrl] = useState(() => toPaneUrl(url));
  const isLoaded = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  const [box, setBox] = useState<{ width: number; height: number } | null>(null);
  const newest = useRef(url);
  newest.current = url;

  useEffect(() => {
    const timer = setInterval(() => {
      const renewal = new URL(newest.current);
      renewal.pathname = renewalPath;
      // The host of the preview is no part of the API, and its cookie is what is renewed.
      fetch(renewal, { mode: "no-cors", credentials: "include", cache: "no-store" }).catch(() => {
        // The next round tries again, long before the token ends.
      });
    }, renewEveryMs);
    return () => clearInterval(timer);
  }, []);

  useEffect(() => {
    const node = place.current;
    if (!node) return;
    const observer = new ResizeObserver(([entry]) => entry && setBox(entry.contentRect));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);

  const width = size ?? box?.width ?? 0;
  const scale = box && width > box.width ? box.width / width : 1;
  return (
    <div ref={place} className="relative min-h-0 flex-1 overflow-hidden bg-sunk">
      {box && (
        <div
          className="absolute top-0 origin-top-left"
          style={{
            width,
            height: box.height / scale,
            left: Math.max(0, (box.width - width * scale) / 2),
            transform: scale === 1 ? undefined : `scale(${scale})`,
          }}
        >
          <iframe
            ref={frame}
            title={`Preview: ${name}`}
            src={firstUrl}
            sandbox={sandbox}
            allow="fullscreen; clipboard-write"
            referrerPolicy="no-referrer"
            className="size-full border-0 bg-white"
            onLoad={() => {
              isLoaded.current = true;
            }}
          />
          {pointing && (
            <PointingLayer
              frame={frame}
              isLoaded={isLoaded}
              origin={new URL(firstUrl).origin}
              scale={scale}
              {...pointing}
            />
          )}
        </div>
      )}
    </div>
  );
}
