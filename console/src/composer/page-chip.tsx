// The page of the preview that goes along with the message. Its path can be written here.

import { AppWindow, X } from "lucide-react";
import { Name } from "../ui/visible-text.tsx";
import type { Draft } from "./draft.ts";

interface PageChipProps {
  page: Draft["page"];
  onPage: (page: Draft["page"]) => void;
}

export function PageChip({ page, onPage }: PageChipProps) {
  if (!page) return null;
  return (
    <div className="px-3 pt-3">
      <span className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-control bg-sunk pl-2 text-meta">
        <AppWindow className="size-3.5 shrink-0 text-quiet" aria-hidden="true" />
        <span className="shrink-0 text-quiet">
          Page of <Name className="text-ink">{page.frontendName}</Name>
        </span>
        <input
          aria-label="Path of the page"
          value={page.path}
          title={page.path}
          className="field-sizing-content h-6 min-w-12 max-w-60 rounded-[6px] border border-line-strong/50 bg-panel px-1.5 font-mono text-ink pointer-coarse:h-11 pointer-coarse:text-[16px]"
          onChange={({ target }) => onPage({ ...page, path: target.value })}
        />
        <button
          type="button"
          aria-label="Leave the page out"
          className="grid size-8 shrink-0 place-items-center rounded-control text-quiet hover:text-ink pointer-coarse:size-11"
          onClick={() => onPage(null)}
        >
          <X className="size-3.5" aria-hidden="true" />
        </button>
      </span>
    </div>
  );
}
