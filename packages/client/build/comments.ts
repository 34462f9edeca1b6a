// The comments of the types. A name and a type say much already: a comment that adds nothing to
// them is left out, and the API reference has every description in whole.

/** What the reader of a comment sees besides it. */
export interface Beside {
  /** The names around it: of the field, of its owner and of its type. */
  names: readonly string[];
  isNullable?: boolean;
}

/** Words that add nothing. */
const fillers = new Set(
  `a an the this that these its their his her your it they them you of in on at to by for from with as and or one ones
   is are was were be been has have had do did which who what when where while how many whether each only user people
   there`.split(/\s+/),
);
/** What describes a word of a name without the word. */
const synonyms: Record<string, string> = {
  at: "when time",
  count: "number",
  created: "made added",
  email: "address",
  image: "picture",
  is: "true",
  name: "called read",
  organizations: "workspace",
  total: "all",
  updated: "last changed",
  url: "address link page",
  get: "read list return see find",
  post: "create",
  put: "set replace change",
  patch: "change",
  delete: "remove revoke disconnect take away out",
};
/** A clause about null that says that there is nothing. */
const emptyClause =
  /[;,] null (?:where|while|when|for|without|until|before|if)(?: (?:it|they|there|has|have|is|was|did|not|none|nothing|nobody|one|then|that|a|the|first))+\.$/;

/** The root of a word, near enough to compare. */
const getRoot = (word: string) =>
  word
    .replace(/ies$/, "y")
    .replace(/(?<!s)s$/, "")
    .replace(/(?:ed|ing|e)$/, "");

function listRoots(names: readonly string[]): Set<string> {
  const words = names.flatMap((name) => name.replace(/\{\w+\}/g, "").match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []);
  const all = words.map((word) => word.toLowerCase()).flatMap((word) => [word, ...(synonyms[word]?.split(" ") ?? [])]);
  return new Set(all.map(getRoot));
}

/** The description without what the type says already; undefined if nothing is left. */
export function formatDescription(description: string, { names, isNullable }: Beside): string | undefined {
  const text = isNullable ? description.replace(emptyClause, ".") : description;
  const roots = listRoots(names);
  const words =
    text
      .toLowerCase()
      .replaceAll("'s", "")
      .match(/[^\s.,:;-]+/g) ?? [];
  return words.every((word) => fillers.has(word) || roots.has(getRoot(word))) ? undefined : text;
}

/** The first sentence of a description. */
export const getFirstSentence = (text: string) => /^.*?\.(?= [A-Z`]|$)/s.exec(text)?.[0] ?? text;

export const formatComment = (text: string | undefined) =>
  text ? [`/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */`] : [];
