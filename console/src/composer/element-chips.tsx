// What was pointed at in the preview, and the text that it becomes: nothing goes along unseen.

import { MousePointerClick, X } from "lucide-react";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Name } from "../ui/visible-text.tsx";
import { formatElements, nameElement, type PointedElement } from "./element.ts";
import { findField } from "./find-field.ts";

interface ElementChipsProps {
  elements: readonly PointedElement[];
  onRemove?: (element: PointedElement) => void;
}

export function ElementChips({ elements, onRemove }: ElementChipsProps) {
  const focus = useFocusKept("li", findField);
  if (elements.length === 0) return null;
  return (
    <div className="px-3 pt-3" {...focus}>
      <ul aria-label="Elements of the preview" className="flex flex-wrap gap-2">
        {elements.map((element) => (
          <li
            key={JSON.stringify(element)}
            className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-control bg-sunk pl-2 text-meta"
          >
            <MousePointerClick className="size-3.5 shrink-0 text-quiet" aria-hidden="true" />
            <Name className="min-w-0 max-w-60 truncate" title={element.selector}>
              {nameElement(element)}
            </Name>
            <span className={`shrink-0 text-quiet tabular-nums ${onRemove ? "" : "pr-2"}`}>
              {element.width} × {element.height}
            </span>
            {onRemove && (
              <button
                type="button"
                aria-label={`Leave ${nameElement(element)} out`}
                className="-ml-1.5 grid size-8 shrink-0 place-items-center rounded-control text-quiet hover:text-ink pointer-coarse:size-11"
                onClick={() => onRemove(element)}
              >
                <X className="size-3.5" aria-hidden="true" />
              </button>
            )}
          </li>
        ))}
      </ul>
      <details className="mt-1 text-meta">
        <summary className="w-fit cursor-pointer text-quiet hover:text-ink pointer-coarse:py-3">
          What the message says about {elements.length === 1 ? "it" : "them"}
        </summary>
        <pre
          // A long line can be read with the keyboard too.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
          tabIndex={0}
          className="mt-1 max-h-48 overflow-auto whitespace-pre-wrap rounded-block bg-sunk p-3 font-mono [overflow-wrap:anywhere]"
        >
          {formatElements(elements)}
        </pre>
      </details>
    </div>
  );
}
