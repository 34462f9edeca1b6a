// A message that a search has found, as one text with its matches marked.

import type { Schemas } from "@switchyard/client";
import { VisibleText } from "../ui/visible-text.tsx";
import { splitSnippet } from "./snippet.ts";

export function SnippetText({ snippet, marks }: Pick<Schemas["MessageMatch"], "snippet" | "marks">) {
  return (
    <bdi>
      {splitSnippet(snippet, marks).map(({ at, text, isMatch }) =>
        isMatch ? (
          <mark key={at} className="rounded-sm bg-accent-tint font-medium text-ink">
            <VisibleText>{text}</VisibleText>
          </mark>
        ) : (
          <VisibleText key={at}>{text}</VisibleText>
        ),
      )}
    </bdi>
  );
}
