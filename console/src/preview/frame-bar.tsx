// What is above and below the frame of a preview: its endpoint, its size, and how old its page is.

import { ExternalLink, Monitor, RotateCw, Smartphone, Tablet } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/visible-text.tsx";
import type { FrameSize } from "./frame.tsx";
import type { FramePage } from "./health.ts";
import type { ShownFrame } from "./use-frame.ts";

export const frameToolClass =
  "inline-flex size-8 shrink-0 items-center justify-center rounded-control hover:bg-sunk hover:text-ink pointer-coarse:size-11";

const sizes: [size: FrameSize, word: string, Icon: typeof Monitor][] = [
  [390, "Phone, 390 px", Smartphone],
  [820, "Tablet, 820 px", Tablet],
  [null, "The whole width", Monitor],
];

/** The endpoint, where there are several, and the size. */
export function FrameChoice({ frame: { names, name, choose, size, setSize } }: { frame: ShownFrame }) {
  return (
    <>
      {names.length > 1 && (
        <fieldset aria-label="Endpoint" className="flex min-w-0 gap-0.5 overflow-x-auto rounded-control bg-sunk p-0.5">
          {names.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === name}
              onClick={() => choose(one)}
              className={`min-h-6 shrink-0 rounded-[6px] px-2 text-meta pointer-coarse:min-h-11 ${one === name ? "bg-panel font-medium text-ink" : ""}`}
            >
              <Name>{one}</Name>
            </button>
          ))}
        </fieldset>
      )}
      <fieldset aria-label="Size" className="flex">
        {sizes.map(([one, word, Icon]) => (
          <button
            key={word}
            type="button"
            aria-label={word}
            title={word}
            aria-pressed={size === one}
            onClick={() => setSize(one)}
            // On a phone, the whole width is that of a phone.
            className={`${frameToolClass} ${size === one ? "bg-accent-tint text-ink" : ""} ${one === 390 ? "max-sm:hidden" : ""}`}
          >
            <Icon className="size-4" aria-hidden="true" />
          </button>
        ))}
      </fieldset>
    </>
  );
}

/** Loads the page again, or opens it in a tab of its own. */
export function FrameTools({ url, reload }: { url: string; reload: () => void }) {
  return (
    <>
      <button type="button" aria-label="Reload" title="Reload" onClick={reload} className={frameToolClass}>
        <RotateCw className="size-4" aria-hidden="true" />
      </button>
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label="Open in a tab"
        title="Open in a tab"
        className={frameToolClass}
      >
        <ExternalLink className="size-4" aria-hidden="true" />
      </a>
    </>
  );
}

const appWords = {
  starting: "The app starts again.",
  crashed: "The app crashes.",
  restarted: "The app has started again.",
};

/** Says that the page in the frame is from before the app started again or crashed. */
export function PageFromBefore({ page, onReload }: { page: FramePage; onReload: () => void }) {
  return (
    <div role="status" className="shrink-0 bg-amber-tint text-amber-ink text-meta">
      {page !== "none" && page !== "current" && (
        <p className="flex min-h-9 items-center gap-2 border-line border-t px-3 py-1">
          <span className="min-w-0 flex-1">{appWords[page]} You see its page from before.</span>
          {page === "restarted" && <Button onClick={onReload}>Load it again</Button>}
        </p>
      )}
    </div>
  );
}
