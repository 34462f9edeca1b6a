// Which files a person has viewed. A mark holds for a file as it was: a later change clears it.

export type ViewedMarks = Readonly<Record<string, string>>;

/** A short name for a text: two texts with the same one are the same, for all that is likely. */
function hashText(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36);
}

/** True if the file was marked as it is now. */
export const isViewed = (marks: ViewedMarks, path: string, source: string): boolean =>
  Object.hasOwn(marks, path) && marks[path] === hashText(source);

/** The marks with one set, or cleared. */
export function markViewed(marks: ViewedMarks, path: string, source: string, viewed: boolean): ViewedMarks {
  const { [path]: _, ...others } = marks;
  return viewed ? { ...others, [path]: hashText(source) } : others;
}
