// Lengths of texts in characters, as the limits of the product count them: one code point is one character, however many units or bytes it takes.

/** True for a text of more than so many characters. It reads no more of the text than it has to. */
export function hasMoreCodePoints(text: string, most: number): boolean {
  return indexAfter(text, most) < text.length;
}

/** The first characters of a text. No character is split. */
export function toFirstCodePoints(text: string, most: number): string {
  return text.slice(0, indexAfter(text, most));
}

/** The index after so many code points; the length of a text that has no more. */
function indexAfter(text: string, codePoints: number): number {
  if (text.length <= codePoints) return text.length;
  let index = 0;
  for (let counted = 0; counted < codePoints && index < text.length; counted += 1)
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}
