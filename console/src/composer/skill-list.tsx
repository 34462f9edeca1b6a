// The skills and commands that a `/` at the beginning of a message can mean.

import { type RefObject, useEffect, useRef } from "react";
import { Name, Prose } from "../ui/visible-text.tsx";
import type { Suggestion } from "./slash.ts";

interface SkillListProps {
  id: string;
  suggestions: readonly Suggestion[];
  at: number;
  onChoose: (suggestion: Suggestion) => void;
}

export const optionId = (id: string, at: number) => `${id}-${at}`;

export function SkillList({ id, suggestions, at, onChoose }: SkillListProps) {
  const active: RefObject<HTMLDivElement | null> = useRef(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option is the active one.
  useEffect(() => {
    active.current?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Skills and commands"
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-y-auto rounded-card border border-line bg-panel p-1 shadow-lg"
    >
      {suggestions.map((suggestion, index) => (
        <div
          key={suggestion.name}
          id={optionId(id, index)}
          ref={index === at ? active : null}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={`cursor-pointer rounded-control px-3 py-2 ${index === at ? "bg-accent-tint" : "hover:bg-sunk"}`}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
          onKeyDown={(event) => event.key === "Enter" && onChoose(suggestion)}
        >
          <span className="flex flex-wrap items-baseline gap-x-2">
            <Name className="font-medium font-mono text-code">{suggestion.name}</Name>
            {suggestion.argumentHint && <Name className="text-meta text-quiet">{suggestion.argumentHint}</Name>}
            <span className="ml-auto text-meta text-quiet">{suggestion.source}</span>
          </span>
          <span className="line-clamp-2 text-quiet text-ui">
            <Prose>{suggestion.description}</Prose>
          </span>
        </div>
      ))}
    </div>
  );
}
