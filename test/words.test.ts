// The words of comments, test titles and texts for people: a word that means something else
// elsewhere, or that a newcomer reads twice, occurs only where this file says why.
import { expect, it } from "vitest";
import { listProse } from "./support/source-prose.ts";
import { readTree } from "./support/source-tree.ts";

/** Each word, and the word that says the same. */
const words: [word: RegExp, say: string][] = [
  [/\banew\b/gi, "again"],
  [/\balone\b/gi, "only"],
  [/\bgo(es)? on\b/gi, "continue"],
  [/\bwent on\b/gi, "continued"],
  [/\bof (before|now)\b/gi, "previous, current"],
  [/\bwhat came of\b/gi, "the result of"],
  [/\bcalled off\b/gi, "cancelled"],
  [/\bgiven up\b/gi, "expired, abandoned"],
  [/\b(told|tells?)\b/gi, "reports, says, notifies"],
  [/\bhear(s|d)?\b/gi, "receives, learns"],
  [/\bbegun\b/gi, "started"],
  [/\b(stands?|stood)\b/gi, "is"],
  [/\bany more\b/gi, "no longer"],
  [/\bat once\b/gi, "immediately, or at the same time"],
  [/\bpassed on\b/gi, "forwarded"],
  [/\bheld up\b/gi, "delayed"],
  [/\bunder way\b/gi, "running, in progress"],
  [/\bwhoever\b/gi, "anyone who, or the one who"],
  [/\blately\b/gi, "recently"],
  [/\bbehind\b/gi, "after"],
  [/\bremovals?\b/gi, "deletion"],
  [/\bpoke[sd]?\b/gi, "wake"],
];

/** Where a word is right. */
const right: [text: RegExp, reason: string][] = [
  [/\bstands? in for\b|\bstand-ins?\b/, "a stand-in replaces a real service in a test"],
  [/\b(is|are|be|being|not|less|stays|fell|session|sessions|branch|no longer|works on it,) behind\b/, "a branch"],
  [/\bbehind( or not|, if it was forced|, and one to its own| and ahead|(?= until)| a branch)/, "a branch"],
  [/\bbehind (its|the) (base|Target Branch|remote|code host)/, "a branch"],
  [/\bbehind (a|the|this|that|same) (proxy|wall|link|primary)/, "these have a front and a back"],
  [/\b(runs|agent,) behind (it|an HTTP API)\b/, "a wall, or an API"],
  [/\bactions behind the buttons\b/, "what a button does"],
  [/\bproxy in front of\b|\bin behind-links\b/, "a proxy"],
  [/\bChecks passed on\b/, "checks pass on a pull request"],
  [/\band tell me what\b/, "the message of a user"],
  [/(roles?,?|transfers,|concurrent|the) +removals?\b(?=,| of a member| and leaves| +transfer)/, "of a member"],
];

const isCode = (path: string) =>
  /^(src|durable-objects|sandbox-program|scripts|practice|operate|bench|packages|console|adapters|site|test)\/.*\.(ts|tsx|mjs)$/.test(
    path,
  );
/** Guides and references; the contract is quoted as it is. */
const isDocument = (path: string) => /^(docs\/(?!contract\/).*|[^/]+)\.md$/.test(path);
const sql = /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|REPLACE|WHERE|FROM|INTO|VALUES)\b/;

/** The prose of the tree by file. A text has several words; names and SQL are none. */
const prose = (await readTree()).flatMap(({ path, text }) => {
  if (isDocument(path)) return text.split("\n").map((line, index) => ({ path, line: index + 1, text: line }));
  if (!isCode(path) || path === "test/words.test.ts") return [];
  const isOfTest = path.startsWith("test/");
  return listProse(text).flatMap(({ kind, line, text }) =>
    kind === "text" && (isOfTest || !/\w\s+\w/.test(text) || sql.test(text)) ? [] : [{ path, line, text }],
  );
});

/** One pass finds the few texts that have any of the words. */
const anyWord = new RegExp(words.map(([word]) => word.source).join("|"), "i");
const allowed = right.map(([text]) => new RegExp(text.source, "gi"));

/** What is left of these texts without code, and without the words where they are right. */
const suspects = prose.flatMap(({ path, line, text }) => {
  const plain = text.replace(/`[^`]*`/g, "").replace(/\n\s*(\/\/|\*)? ?/g, " ");
  if (!anyWord.test(plain)) return [];
  return [{ path, line, rest: allowed.reduce((left, pattern) => left.replaceAll(pattern, ""), plain) }];
});

it("reads prose of every kind", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source has a template
  const source = 'const a = /"/; // one\n// two\ntest.each(rows)("title", () => say(`text ${b ? "in" : {}} after`));';
  expect(listProse(source).map(({ kind, text }) => [kind, text])).toEqual([
    ["comment", "// one\n// two"],
    ["title", '"title"'],
    ["text", "text "],
    ["text", '"in"'],
    ["text", " after"],
  ]);
  expect(prose.length).toBeGreaterThan(10_000);
});

it.each(words)("%s is not used", (word, say) => {
  const found = suspects.flatMap(({ path, line, rest }) => {
    return [...rest.matchAll(word)].map(
      (match) => `${path}:${line} ${rest.slice(Math.max(0, match.index - 30), match.index + 30)}: say "${say}"`,
    );
  });
  expect(found).toEqual([]);
});

/** Names that have such a verb as a part. A name in quotes with a hyphen is stored or sent. */
const verbInName =
  /(?<![\w-])(?:tell|hear|poke)(?:s|ing)?(?=[A-Z_]|\b)(?!-)|[a-z](?:Tell|Hear|Poke)(?:s|ing)?(?![a-z])/;
/** `telling` is a field of stored webhooks. A prompt of the benchmark says "tell me". */
const nameAllowed = /\btelling\??:|\band tell me what\b/g;

it("no name says that something tells, hears or pokes", async () => {
  const found = (await readTree())
    // Tests and the console still have some.
    .filter(({ path }) => isCode(path) && !/^(test|console)\//.test(path))
    .flatMap(({ path, text }) => text.split("\n").map((line, index) => ({ line, at: `${path}:${index + 1}` })))
    .filter(({ line }) => verbInName.test(line.replace(nameAllowed, "")));
  expect(found).toEqual([]);
});

const verbs =
  "create get find list count read write save load add update delete start stop cancel resume pause wake send receive publish notify record claim release plan acquire commit check parse format seal sign is has may can to from as with"
    .split(" ")
    .join("|");
/**
 * Verbs that have one meaning here: a page is rendered, a credential issued or revoked, a sweep
 * sweeps, and a function that throws a refusal begins with `throwIf`.
 */
const ownVerbs =
  "handle render run end refuse revoke issue connect disconnect measure sweep perform apply call forward fetch unseal wait throw"
    .split(" ")
    .join("|");
const begins = new RegExp(`^(${verbs}|${ownVerbs})([A-Z0-9]|$)`);

it("exported functions begin with a verb of the list, all but a falling number", async () => {
  const names = (await readTree())
    // The names of a library are for its users. Those of the console are components and hooks.
    .filter(({ path }) => isCode(path) && !/^(test|packages|console)\//.test(path))
    .flatMap(({ text }) => [...text.matchAll(/^export (?:async )?function\*? (\w+)/gm)].map(([, name = ""]) => name));
  const others = names.filter((name) => !begins.test(name));
  // It may only fall: rename what you touch.
  expect(others.length).toBeLessThanOrEqual(192);
});
