// The panel beside a conversation: changes, preview, files, artifacts, facts or a terminal. Each
// tab is a chunk of its own. On a narrow window it covers the conversation, with a way back.
import { ArrowLeft, X } from "lucide-react";
import {
  type ComponentType,
  type CSSProperties,
  type KeyboardEvent,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import type { Panel as PanelName } from "../routes.tsx";
import type { LiveSession } from "../session/live-session.ts";
import { useFreshWork } from "../session/turn-state.ts";
import { LoadingPart, lazyPart } from "../ui/lazy-part.tsx";
import { fadedEdge, useHasMore } from "../ui/use-has-more.ts";
import { PanelBoundary } from "./boundary.tsx";
import { useChangedFileCount } from "./changed-file-count.ts";
import { useOpenPanel } from "./open-panel.ts";
import { Resizer } from "./resizer.tsx";
import { findTabByKey, tabs } from "./tabs.ts";
import { useEscape } from "./use-escape.ts";
import { usePanelWidth } from "./use-panel-width.ts";

interface PanelProps {
  live: LiveSession;
  name: PanelName;
}

/** As `max-lg` of the styles. */
const narrow = matchMedia("(width < 64rem)");

function useIsNarrow(): boolean {
  const listen = (changed: () => void) => {
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
  };
  return useSyncExternalStore(listen, () => narrow.matches);
}

type Tab = ComponentType<{ live: LiveSession }>;

const contents: Record<PanelName, Tab> = {
  changes: lazyPart(() => import("../changes/changes.tsx"), "Changes"),
  preview: lazyPart(() => import("../preview/preview.tsx"), "PreviewTab"),
  files: lazyPart(() => import("../files/files.tsx"), "Files"),
  artifacts: lazyPart(() => import("../artifacts/artifacts.tsx"), "Artifacts"),
  info: lazyPart(() => import("../pull-request/info.tsx"), "Info"),
  terminal: lazyPart(() => import("../terminal/terminal.tsx"), "TerminalTab"),
};

const tabShape =
  "inline-flex min-h-8 shrink-0 items-center gap-1.5 rounded-control px-2 text-ui max-sm:grow max-sm:justify-center max-sm:gap-1 max-sm:px-0.5 max-sm:text-meta pointer-coarse:min-h-11 pointer-coarse:min-w-11";

export function Panel({ live, name }: PanelProps) {
  const open = useOpenPanel();
  const list = useRef<HTMLDivElement>(null);
  const hasMore = useHasMore(list);
  const changed = useChangedFileCount(live.session);
  useFreshWork(live);
  const Content = contents[name];
  const isNarrow = useIsNarrow();
  const [percent, setPercent] = usePanelWidth();

  // A button that the panel covers takes no focus until the panel is gone.
  const isLeaving = useRef(false);
  const opener = useRef("");
  opener.current = `open-${name}`;
  useEffect(
    () => () => {
      if (isLeaving.current) document.getElementById(opener.current)?.focus();
    },
    [],
  );
  const panel = useRef<HTMLDivElement>(null);
  const leave = useCallback(() => {
    // Who is elsewhere in the page stays there.
    const active = document.activeElement;
    isLeaving.current = active === document.body || panel.current?.contains(active) === true;
    open(null);
  }, [open]);
  useEscape(leave);

  useEffect(() => {
    list.current?.querySelector(`#tab-${name}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [name]);
  const press = (event: KeyboardEvent) => {
    const next = findTabByKey(event.key, name);
    if (next === null) return;
    event.preventDefault();
    open(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };

  // Where it covers the conversation, it is the main part of the page. The element stays the same,
  // because another one would lose what is in it, such as the page of a preview.
  const landmark = { role: isNarrow ? "main" : "complementary", "aria-label": "Panel" };

  return (
    <div
      {...landmark}
      ref={panel}
      className="relative flex h-full w-full min-w-0 shrink-0 flex-col border-line border-l bg-panel lg:w-(--panel-share) lg:max-w-[calc(100%-24rem)] max-lg:border-l-0"
      style={{ "--panel-share": `${percent}%` } as CSSProperties}
    >
      <Resizer percent={percent} onChange={setPercent} />
      {isNarrow && <h1 className="sr-only">{live.session?.data.title}</h1>}
      <div className="flex shrink-0 items-center gap-1 border-line border-b px-2 py-2">
        <button
          type="button"
          aria-label="Back to the chat"
          onClick={leave}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-sunk hover:text-ink lg:hidden pointer-coarse:size-11"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
        </button>
        <div
          ref={list}
          role="tablist"
          aria-label="Panels"
          className={`flex min-w-0 flex-1 gap-0.5 overflow-x-auto p-0.5 [scrollbar-width:none] ${hasMore ? fadedEdge : ""}`}
          onKeyDown={press}
        >
          {tabs.map((tab) => (
            <button
              key={tab.name}
              id={`tab-${tab.name}`}
              type="button"
              role="tab"
              aria-selected={tab.name === name}
              aria-controls="panel-content"
              tabIndex={tab.name === name ? 0 : -1}
              onClick={() => open(tab.name)}
              className={`${tabShape} ${tab.name === name ? "bg-accent-tint font-medium text-ink" : "text-quiet hover:bg-sunk hover:text-ink"}`}
            >
              {tab.title}
              {tab.name === "changes" && changed ? (
                <span className="text-meta text-quiet tabular-nums">{changed}</span>
              ) : null}
            </button>
          ))}
        </div>
        <button
          type="button"
          aria-label="Close the panel"
          title="Close (Escape)"
          onClick={leave}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-sunk hover:text-ink max-lg:hidden pointer-coarse:size-11"
        >
          <X className="size-4" aria-hidden="true" />
        </button>
      </div>
      <div id="panel-content" role="tabpanel" aria-labelledby={`tab-${name}`} className="min-h-0 flex-1">
        <PanelBoundary key={name}>
          <Suspense fallback={<LoadingPart />}>
            <Content live={live} />
          </Suspense>
        </PanelBoundary>
      </div>
    </div>
  );
}
