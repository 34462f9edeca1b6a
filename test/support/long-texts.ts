// Texts of 200,000 characters, each of the kind that is worst for somebody who reads it.
import { messageContentCharacters } from "../../src/rules/limits.ts";

/** Repeated, with an end that keeps a pattern from matching all of it: a line end to `.` and `$`, and none to `split`. */
const long = (piece: string) => `${piece.repeat(Math.ceil(messageContentCharacters / piece.length))}\u2028x`;

/** Texts of pieces that a reader may look at again and again. */
export const longTexts = [
  ..."a|a |a,|a-|a/|.|1 | |\n|\r| \n|#| #|a: |---\n|\u0000|\ufdfa|😀|,|, |,;|@".split("|"),
  ..."-r |-r a |-e |-d |--|-- a |and |no |not rebas |Person Number 7 ".split("|"),
  ...`"|" |'a |''|\\"|[|[]|[](|[](https://a|[a](https://a)|<|<https://a|https://a,`.split("|"),
  ..."<!--|<!doctype |<?|<script>|<meta |a=|a ='".split("|"),
]
  .map(long)
  .concat(["n", "-r n"].map((name) => Array.from({ length: 30_000 }, (_, at) => `${name}${at}`).join(",")));
