// How the main preview of a project is, its addresses and its public link.

import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import type { PreviewState } from "../preview/health.ts";
import type { usePreview } from "../preview/queries.ts";
import { Share } from "../preview/share.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";

/** What it is, on each page that shows it. */
export const mainPreviewText =
  "The app in the main sandbox. Its checkout follows the Target Branch. New sessions start from it.";

const words: Record<PreviewState, [glyph: string, text: string, tone: string]> = {
  unknown: ["○", "Looking…", "text-quiet"],
  starting: ["●", "Starting", "text-accent"],
  crashed: ["✕", "A service crashes", "text-red-ink"],
  healthy: ["✓", "Running", "text-green-ink"],
  asleep: ["○", "Asleep", "text-quiet"],
  "credit-limit": ["‖", "The workspace has reached its limit", "text-amber-ink"],
  "sandbox-limit": ["‖", "The limit of running sandboxes is reached", "text-amber-ink"],
  none: ["✓", "Running. No service serves a page.", "text-quiet"],
};

interface MainPreviewProps {
  of: { projectId: string };
  preview: ReturnType<typeof usePreview>;
  children?: ReactNode;
}

/** `children` are more of its actions. */
export function MainPreview({ of, preview: { state, health, preview, wake, error }, children }: MainPreviewProps) {
  const urls = Object.entries(health.data?.frontendUrls ?? preview.data?.frontendUrls ?? {});
  const [glyph, text, tone] = words[state];
  const isAsleep = state === "asleep" || state === "credit-limit" || state === "sandbox-limit";
  const refusal = error && (
    <Refusal error={error}>
      <Button onClick={wake}>Try again</Button>
    </Refusal>
  );
  if (refusal && !health.data) return refusal;
  return (
    <>
      <div className="flex min-h-9 flex-wrap items-center gap-2">
        <p role="status" className={`mr-2 ${tone}`}>
          <span aria-hidden="true" className={`mr-1.5 text-meta ${state === "starting" ? "lamp" : ""}`}>
            {glyph}
          </span>
          {text}
        </p>
        {state === "healthy" &&
          urls.map(([name, url]) => <Open key={name} name={urls.length > 1 ? name : null} url={url} />)}
        {isAsleep && !refusal && (
          <Button disabled={preview.isFetching} onClick={wake}>
            {preview.isFetching ? "Waking…" : "Wake"}
          </Button>
        )}
        <Share of={of} />
        {children}
      </div>
      {refusal && <div className="mt-3">{refusal}</div>}
    </>
  );
}

function Open({ name, url }: { name: string | null; url: string }): ReactNode {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClass("main")}>
      Open {name && <Name className="max-w-40 truncate">{name}</Name>}
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}
