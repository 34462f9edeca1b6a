// The running app in a frame, in the size of a phone, a tablet or the panel.
import { useEffect, useRef, useState } from "react";

/** What makes a token valid for longer, at the host of a preview; as on the page of a link. */
const renewalPath = "/.well-known/switchyard-renewal";
const renewEveryMs = 300_000;
/** The preview may do what pages do, but neither navigates this page nor reads its address. */
const sandbox = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads";

export type FrameSize = 390 | 820 | null;

interface FrameProps {
  name: string;
  /**
   * The address with the newest token. The frame begins with the first one, and is not loaded
   * again.
   */
  url: string;
  size: FrameSize;
}

export function Frame({ name, url, size }: FrameProps) {
  const [firstUrl] = useState(url);
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
        <iframe
          title={`Preview: ${name}`}
          src={firstUrl}
          sandbox={sandbox}
          allow="fullscreen; clipboard-write"
          referrerPolicy="no-referrer"
          className="absolute top-0 origin-top-left border-0 bg-white"
          style={{
            width,
            height: box.height / scale,
            left: Math.max(0, (box.width - width * scale) / 2),
            transform: scale === 1 ? undefined : `scale(${scale})`,
          }}
        />
      )}
    </div>
  );
}
