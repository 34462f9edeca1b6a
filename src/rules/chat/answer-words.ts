// How people choose among options in ordinary words: by place, by a few words of the option, and with words around it that say nothing.

const filler = new Set(
  (
    "a an the it its that this is be to for on at of in with and as well do i we you he she me my our us would d like want think choose pick take use " +
    "keep leave let go make set have ask add request assign please pls thanks thank just ok okay yes yeah then option answer choice number nr " +
    "reviewer reviewers review should can will ll s"
  ).split(" "),
);
/** Words that turn an answer round; what is left of it is for a reader who understands it. */
const turning = /\b(not|except|but|other|than|never|without|instead|unless)\b|n['’]t\b|\?/i;
const ordinals = ["first", "second", "third", "fourth"];
const counted = ["one", "two", "three", "four"];

/** True for words that mean something else than the option that they name. */
export function turnsRound(text: string): boolean {
  return turning.test(text);
}

/** The words that say something. */
export function tellingWords(text: string): string[] {
  const words = text
    .replace(/[“”"‘’'()!:]+/g, " ")
    .split(/[\s,;]+/)
    .map((word) => word.replace(/\.+$/, ""));
  return words.filter((word) => word !== "" && !filler.has(word.toLowerCase()));
}

/** The place, from 0, of the option that words like `2`, `#2` or `the second one` choose of so many; null for other words. */
export function placeChosen(text: string, count: number): number | null {
  const words = tellingWords(text).map((word) => word.toLowerCase());
  const [word = "", ...more] = words.length === 1 ? words : words.filter((each) => each !== "one");
  if (more.length > 0) return null;
  if (word === "last") return count - 1;
  const [, digits = ""] = /^#?(\d{1,2})(?:st|nd|rd|th|\))?$/.exec(word) ?? [];
  const place = digits === "" ? Math.max(ordinals.indexOf(word), counted.indexOf(word)) : Number(digits) - 1;
  return place >= 0 && place < count ? place : null;
}
