// The buttons in the head of a session that open the panels beside it.
import { FileDiff, Files, Image, Info, MonitorPlay, SquareTerminal } from "lucide-react";
import type { Panel } from "../routes.tsx";
import type { Session } from "../session/queries.ts";
import { useChangedFileCount } from "./changed-file-count.ts";
import { useOpenPanel, usePanelKeys } from "./open-panel.ts";
import { tabs } from "./tabs.ts";

const icons: Record<Panel, typeof Info> = {
  changes: FileDiff,
  preview: MonitorPlay,
  files: Files,
  artifacts: Image,
  info: Info,
  terminal: SquareTerminal,
};

export function PanelButtons({ session, shown }: { session: Session; shown: Panel | undefined }) {
  const open = useOpenPanel();
  const changed = useChangedFileCount(session);
  usePanelKeys();
  return (
    <fieldset
      aria-label="Panels"
      className="flex min-w-0 shrink-0 items-center gap-0.5 max-md:order-last max-md:-mx-2 max-md:basis-full max-md:overflow-x-auto max-md:[scrollbar-width:none]"
    >
      {tabs.map(({ name, title }, at) => {
        const Icon = icons[name];
        const count = name === "changes" && changed ? changed : null;
        return (
          <button
            key={name}
            id={`open-${name}`}
            type="button"
            aria-pressed={shown === name}
            aria-label={count === null ? title : `${title}, ${count} files`}
            title={`${title} (⌥${at + 1})`}
            onClick={() => open(shown === name ? null : name)}
            className={`inline-flex h-8 min-w-8 shrink-0 items-center justify-center gap-1 rounded-control px-1.5 text-meta pointer-coarse:h-11 pointer-coarse:min-w-11 ${shown === name ? "bg-accent-tint text-ink" : "text-quiet hover:bg-sunk hover:text-ink"}`}
          >
            <Icon className="size-4 max-md:hidden" aria-hidden="true" />
            {/* A finger gets no hint of what an icon means. */}
            <span className="md:hidden">{title}</span>
            {count !== null && <span className="tabular-nums">{count}</span>}
          </button>
        );
      })}
    </fieldset>
  );
}
