// Finds the commit of a branch or a tag in the list that a code host sends.
import { expect, test } from "vitest";
import { findCommit } from "../../../src/plugin/repository.ts";

const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(40));
const list = [
  "001e# service=git-upload-pack",
  `0000015a${a} HEAD\0multi_ack symref=HEAD:refs/heads/main agent=git/2 refs/tags/v0`,
  `003f${a} refs/heads/main`,
  `0044${b} refs/heads/release/1`,
  `003d${b} refs/tags/v1`,
  `0040${c} refs/tags/v1^{}`,
  `003d${b} refs/tags/both`,
  `003d${a} refs/heads/both`,
  "0000",
];

/** The code host, which sends the list in chunks of so many bytes. */
const createHost = (lines: string[], chunkBytes = 100_000) => ({
  CODE_HOST_GIT_URL: "https://host.test",
  async fetch() {
    const bytes = new TextEncoder().encode(lines.join("\n"));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += chunkBytes) controller.enqueue(bytes.slice(at, at + chunkBytes));
        controller.close();
      },
    });
    return new Response(body);
  },
});

const refs: [ref: string | null, commit: string | undefined][] = [
  [null, a],
  ["main", a],
  ["release/1", b],
  // An annotated tag is for the commit that it names.
  ["v1", c],
  ["both", a],
];
test.each(refs.flatMap(([ref, commit]) => [1, 7, 100_000].map((size) => [ref, commit, size] as const)))(
  "finds %s at %s, in chunks of %d bytes",
  async (ref, commit, size) => {
    expect(await findCommit(createHost(list, size), "acme/app", ref)).toBe(commit);
  },
);

test.each([
  ["a branch that is none", list, "mai"],
  ["a name after a NUL", list, "v0"],
  ["a name after a second space", [`003f${a} refs/heads/x refs/heads/main`], "main"],
  ["a commit with a letter that is no digit", [`003f${"g".repeat(40)} refs/heads/main`, ""], "main"],
  ["a commit that is too short", [`${"a".repeat(39)} refs/heads/main`, ""], "main"],
  ["a line without a space", ["a".repeat(41), ""], "main"],
])("does not find %s", async (_, lines, ref) => {
  await expect(findCommit(createHost(lines), "acme/app", ref)).rejects.toThrow(`has no ${ref}`);
});

const longestLine = 64 * 1_024;
const start = `003f${a} refs/heads/`;
test.each([1_000, 100_000])("refuses a longer line than any list has, in chunks of %d bytes", async (size) => {
  const read = (lines: string[]) => findCommit(createHost(lines, size), "acme/app", "main");
  const longest = start.padEnd(longestLine, "x");
  expect(await read([longest, ...list])).toBe(a);
  await expect(read([`${longest}x`, ...list])).rejects.toThrow("too long");
  await expect(read([...list, `${longest}x`])).rejects.toThrow("too long");
});
