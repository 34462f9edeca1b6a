// A text that somebody chose, such as a line of a file. Each sign in it says which character it is,
// and what is copied has that character.
import type { ReactNode } from "react";
import { nameCharacter, splitVisible, toVisibleCode, toVisibleName } from "./visible.ts";

/** The text, as it was and as it is shown. */
function Parts({ text, shown }: { text: string; shown: string }): ReactNode {
  if (text === shown) return text;
  return splitVisible(text, shown).map((part, at) =>
    part.hidden === null ? (
      part.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place.
      <span key={at} data-hidden={part.hidden} title={nameCharacter(part.hidden)} className="text-amber-ink">
        {part.text}
      </span>
    ),
  );
}

export const VisibleText = ({ children }: { children: string }) => (
  <Parts text={children} shown={toVisibleCode(children)} />
);

interface NameProps {
  children: string | null | undefined;
  className?: string;
  /** The whole name, where it may be cut. */
  title?: string | undefined;
}

/** A name or a title, which turns the direction of no text beside it. */
export const Name = ({ children, className, title }: NameProps) => (
  <bdi className={className} title={title && toVisibleName(title)}>
    {children && <Parts text={children} shown={toVisibleName(children)} />}
  </bdi>
);

/** Sentences of others, which may have several lines. */
export const Prose = ({ children, className, title }: NameProps) => (
  <bdi className={className} title={title && toVisibleCode(title)}>
    {children && <VisibleText>{children}</VisibleText>}
  </bdi>
);

/** Puts the characters in place of their signs while the browser copies what is selected. */
export function copyOriginals(): void {
  const signs = [...document.querySelectorAll<HTMLElement>("[data-hidden]")].flatMap(({ firstChild, dataset }) =>
    firstChild instanceof Text ? [{ node: firstChild, sign: firstChild.data, character: dataset.hidden ?? "" }] : [],
  );
  for (const { node, character } of signs) node.data = character;
  setTimeout(() => {
    for (const { node, sign } of signs) node.data = sign;
  });
}
