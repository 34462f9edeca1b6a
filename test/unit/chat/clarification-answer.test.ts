import { describe, expect, it, test } from "vitest";
import type { ClarificationQuestion } from "../../../src/chat/rules/block.ts";
import {
  type Answer,
  findChosenOptions,
  formatAnswers,
  mayAnswer,
  toChosenOptions,
} from "../../../src/chat/rules/clarification.ts";
import { createTextMessage, noContext } from "../../../src/chat/rules/message.ts";
import { now, turn } from "../../support/session-state.ts";

const asked = (question: string, ...titles: string[]): ClarificationQuestion => ({
  topic: "A topic",
  question,
  options: titles.map((title, at) => ({ title, description: "", isRecommended: at === 0 })),
});
const colour = asked("Which colour?", "red", "Green", "10");
const size = asked("Which size?", "small", "large");

describe("a field of a send", () => {
  const chosen: [answers: Answer[], options: string[]][] = [
    [[], []],
    [[{ question: "Which colour?", option: "Green" }], ["Green"]],
    [[{ question: 0, option: 1 }], ["Green"]],
    [[{ question: 1, option: "small" }], ["small"]],
    [[{ question: 0, option: "10" }], ["10"]],
    [
      [
        { question: 1, option: 0 },
        { question: 0, option: 0 },
      ],
      ["red", "small"],
    ],
  ];

  test.each(chosen)("%j chooses %j", (answers, options) => {
    const found = toChosenOptions([colour, size], answers);
    expect(found).toEqual(
      options.map((option) => ({
        question: size.options.some(({ title }) => title === option) ? size.question : colour.question,
        option,
      })),
    );
  });

  const wrong: [what: string, answers: Answer[], message: string][] = [
    ["a question that was not asked", [{ question: "Why?", option: 0 }], "answers.0.question"],
    ["a topic", [{ question: "A topic", option: 0 }], "answers.0.question"],
    ["a question in another case", [{ question: "which colour?", option: 0 }], "answers.0.question"],
    ["a question beyond the last", [{ question: 2, option: 0 }], "answers.0.question"],
    ["an option of another question", [{ question: 0, option: "small" }], "answers.0.option"],
    ["an option beyond the last", [{ question: 1, option: 2 }], "answers.0.option"],
    [
      "a question twice",
      [
        { question: 0, option: 0 },
        { question: "Which colour?", option: 1 },
      ],
      "answers.1.question",
    ],
  ];

  test.each(wrong)("that names %s is refused with the choices", (_, answers, message) => {
    expect(toChosenOptions([colour, size], answers)).toMatchObject({
      message: expect.stringContaining(message),
      details: {
        questions: [
          { question: "Which colour?", options: ["red", "Green", "10"] },
          { question: "Which size?", options: ["small", "large"] },
        ],
      },
    });
  });

  it("is refused if no clarification is open", () => {
    expect(toChosenOptions([], [{ question: 0, option: 0 }])).toMatchObject({ details: { questions: [] } });
  });
});

describe("a text", () => {
  const named = (text: string, ...questions: ClarificationQuestion[]) =>
    findChosenOptions(questions, createTextMessage(text)).map(({ option }) => option);

  test.each([
    ["green", ["Green"]],
    [" RED\n", ["red"]],
    ["1", ["red"]],
    ["#2", ["Green"]],
    ["3.", ["10"]],
    ["10", ["10"]],
    ["0", []],
    ["4", []],
    ["the green one", []],
    ["red, please", []],
    ["", []],
  ])("%j names %j", (text, options) => {
    expect(named(text, colour)).toEqual(options);
  });

  test.each([
    ["red\nlarge", ["red", "large"]],
    ["1, 2", ["red", "large"]],
    ["2; small", ["Green", "small"]],
    ["red", []],
    ["red, huge", []],
    ["1, 2, 1", []],
  ])("%j names %j of two questions", (text, options) => {
    expect(named(text, colour, size)).toEqual(options);
  });

  it("is overridden by the fields", () => {
    const answers = [{ question: "Which colour?", option: "red" }];
    expect(findChosenOptions([colour], { content: "2", context: { ...noContext, answers } })).toEqual(answers);
  });
});

test("a message answers only questions from before it was written", () => {
  const message = { context: noContext };
  const writtenAt = (at: number) => ({ context: { ...noContext, writtenAt: at } });
  expect(mayAnswer(message, turn("awaiting_response"))).toBe(true);
  expect(mayAnswer(writtenAt(now), turn("awaiting_response"))).toBe(true);
  expect(mayAnswer(writtenAt(now - 1), turn("awaiting_response"))).toBe(false);
  expect(mayAnswer(message, turn("failed"))).toBe(false);
  expect(mayAnswer(message, null)).toBe(false);
});

test("the agent gets the choices as text", () => {
  expect(formatAnswers([{ question: "Which colour?", option: "red" }])).toBe(
    "(The user chose “red” in answer to: Which colour?)",
  );
  expect(formatAnswers()).toBe("");
});
