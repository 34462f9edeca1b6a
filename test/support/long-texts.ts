// Texts of 200,000 characters, each the worst case for a parser.
import { messageContentCharacters } from "../../src/rules/limits.ts";

/**
 * Repeats a piece. The end keeps a pattern from matching the whole text: it is a line end for `.`
 * and `$`, but not for `split`.
 */
const long = (piece: string) => `${piece.repeat(Math.ceil(messageContentCharacters / piece.length))}\u2028x`;

/** Texts of pieces that a parser may read repeatedly. */
export const longTexts = [
  ..."a|a |a,|a-|a/|.|1 | |\n|\r| \n|#| #|a: |---\n|\u0000|\ufdfa|😀|,|, |,;|@".split("|"),
  ..."-r |-r a |-e |-d |--|-- a |and |no |not rebas |Person Number 7 ".split("|"),
  ...`"|" |'a |''|\\"|[|[]|[](|[](https://a|[a](https://a)|<|<https://a|https://a,`.split("|"),
  ..."( \t encrypted -p= PORT= eleventy".split(" "),
  ..."<!--|<!doctype |<?|<script>|<meta |a=|a ='".split("|"),
]
  .map(long)
  .concat(["n", "-r n"].map((name) => Array.from({ length: 30_000 }, (_, at) => `${name}${at}`).join(",")));
