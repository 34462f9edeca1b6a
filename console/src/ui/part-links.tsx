// The links to the parts of a page, beside the part that is shown. On a narrow window they are one
// row, which scrolls.
import { type ReactNode, useEffect, useRef } from "react";
import { fadedEdge, useHasMore } from "./use-has-more.ts";

export const partLinkClass =
  "flex min-h-9 items-center whitespace-nowrap px-3 text-quiet hover:text-ink max-lg:min-h-11 max-lg:border-transparent max-lg:border-b-2 lg:rounded-control lg:hover:bg-sunk";
export const chosenPart = { className: "font-medium text-ink! max-lg:border-accent! lg:bg-sunk" };

/** `children` are list items with a link each. */
export function PartLinks({ label, children }: { label: string; children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  const hasMore = useHasMore(list);
  // A phone shows a part of the row: the present link is in it.
  useEffect(() => {
    const row = list.current;
    const link = row?.querySelector<HTMLElement>("[aria-current=page]");
    if (row && link) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.clientWidth) / 2;
  }, []);
  return (
    <nav aria-label={label} className="lg:mt-6 max-lg:-mx-4 max-lg:border-line max-lg:border-b">
      <ul
        ref={list}
        className={`relative flex max-lg:overflow-x-auto max-lg:px-3 max-lg:[scrollbar-width:none] lg:sticky lg:top-6 lg:flex-col lg:gap-0.5 ${hasMore ? fadedEdge : ""}`}
      >
        {children}
      </ul>
    </nav>
  );
}
