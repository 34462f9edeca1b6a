// The main preview of a project: how it is, its addresses, its public link and its services. It
// wakes only when somebody asks for it.
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import type { PreviewState } from "../preview/health.ts";
import { usePreview } from "../preview/queries.ts";
import { Services } from "../preview/services.tsx";
import { Share } from "../preview/share.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";

const words: Record<PreviewState, [glyph: string, text: string, tone: string]> = {
  unknown: ["○", "Looking…", "text-quiet"],
  starting: ["●", "Starting", "text-accent"],
  crashed: ["✕", "A service crashes. Its log is below.", "text-red-ink"],
  healthy: ["✓", "Running", "text-green-ink"],
  asleep: ["○", "Asleep", "text-quiet"],
  "credit-limit": ["‖", "The workspace has reached its limit", "text-amber-ink"],
  "sandbox-limit": ["‖", "As many sandboxes run as may run", "text-amber-ink"],
  none: ["✓", "Running. No service serves a page.", "text-quiet"],
};

export function MainPreview({ projectId }: { projectId: string }) {
  const of = { projectId };
  const { state, health, preview, wake, error } = usePreview(of, false);
  const urls = Object.entries(health.data?.frontendUrls ?? preview.data?.frontendUrls ?? {});
  const [glyph, text, tone] = words[state];
  const isAsleep = state === "asleep" || state === "credit-limit" || state === "sandbox-limit";
  return (
    <>
      {error ? (
        <Refusal error={error}>
          <Button onClick={wake}>Try again</Button>
        </Refusal>
      ) : (
        <div className="flex min-h-9 flex-wrap items-center gap-2">
          <p role="status" className={`mr-2 ${tone}`}>
            <span aria-hidden="true" className={`mr-1.5 text-meta ${state === "starting" ? "lamp" : ""}`}>
              {glyph}
            </span>
            {text}
          </p>
          {state === "healthy" &&
            urls.map(([name, url]) => <Open key={name} name={urls.length > 1 ? name : null} url={url} />)}
          {isAsleep && (
            <Button disabled={preview.isFetching} onClick={wake}>
              {preview.isFetching ? "Waking…" : "Wake"}
            </Button>
          )}
          <Share of={of} />
        </div>
      )}
      <div className="-mx-6 -mb-6 mt-4 overflow-hidden rounded-b-card empty:hidden max-sm:-mx-4 max-sm:-mb-4">
        <Services of={of} state={state} />
      </div>
    </>
  );
}

function Open({ name, url }: { name: string | null; url: string }): ReactNode {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClass("main")}>
      Open {name && <bdi className="max-w-40 truncate">{name}</bdi>}
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}
