// A document that has a page for each of its sections.
import { expect, test } from "vitest";
import { splitSections } from "../../../site/sections.ts";

test("a section is a document of its own, and code that looks like a heading stays where it is", () => {
  const text = "# All\n\nWhat it is.\n\n## 1. One\n\n### Part\n\n```sh\n## comment\n```\n## 2. Two\nEnd.\n";
  expect(splitSections(text)).toEqual({
    introduction: "# All\n\nWhat it is.\n",
    sections: [
      {
        ...{ name: "1-one", title: "1. One" },
        headings: [
          { anchor: "1-one", title: "1. One" },
          { anchor: "part", title: "Part" },
        ],
        text: "# 1. One\n\n## Part\n\n```sh\n## comment\n```",
      },
      { name: "2-two", title: "2. Two", headings: [{ anchor: "2-two", title: "2. Two" }], text: "# 2. Two\nEnd.\n" },
    ],
  });
});
