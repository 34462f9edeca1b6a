// Every page shows texts of others by the components that put signs for what could mislead.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { QuestionForm } from "../../console/src/composer/question-form.tsx";
import { Plot } from "../../console/src/usage/plot.tsx";
import { makeTable } from "../../console/src/usage/report.ts";

const turned = "a\u202eb";
const shown = "a\ufffdb";

test("the question of an agent, its topic and its options have signs", () => {
  const option = { title: turned, description: turned, isRecommended: false };
  const questions = [{ topic: turned, question: `${turned}\nIn two lines.`, options: [option], isMultiSelect: false }];
  const props = { jobId: "job", questions, picked: {}, onPick: () => {}, onSend: () => {} };
  const text = renderToStaticMarkup(createElement(QuestionForm, props)).replace(/<[^>]*>/g, "");
  expect(text).not.toContain("\u202e");
  expect(text.split(shown)).toHaveLength(5);
  expect(text).toContain(`${shown}\nIn two lines.`);
});

test("the plot of usage has signs in what is seen and in what is read aloud", () => {
  const sum = { jobs: 1, calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, costUsd: 1 };
  const report = { from: "", to: "", by: "member" as const, groups: [{ id: "s", name: turned, ...sum }], total: sum };
  const { rows: bars } = makeTable(report, () => null);
  const html = renderToStaticMarkup(createElement(Plot, { bars, by: "cost", label: "Cost" }));
  expect(html).toContain(`aria-label="${shown}: `);
  // The character itself is an attribute, for what is copied.
  expect(html.replace(/data-hidden="[^"]*"/g, "")).not.toContain("\u202e");
});

const source = join(import.meta.dirname, "../../console/src");
/** These put the signs into the parts of a line, or of a message that was found. */
const inParts = ["changes/line-parts.tsx", "session/snippet-text.tsx", "ui/visible-text.tsx"];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));

test("no page isolates a text without its signs", () => {
  const isolating = files.filter((file) => readFileSync(join(source, file), "utf8").includes("<bdi"));
  expect(isolating.toSorted()).toEqual(inParts);
});

/** An element that is cut at its end, with a name as its only child. */
const cutAround = /<(\w+)[^>]*\btruncate\b[^>]*>\s*<Name>[^<]*<\/Name>\s*<\/\1>/;

test("a name that is cut is cut at its own end, which is on the left in Hebrew", () => {
  const cut = files.filter((file) => cutAround.test(readFileSync(join(source, file), "utf8")));
  expect(cut).toEqual([]);
});
