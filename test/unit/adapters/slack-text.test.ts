import { describe, expect, it } from "vitest";
import { type Asked, type Click, readAnswers, toQuestionMessage } from "../../../adapters/slack/src/question.ts";
import { fromSlackText, toSlackText } from "../../../adapters/slack/src/text.ts";
import { fromPlaceId } from "../../../adapters/slack/src/thread.ts";

it.each([
  ["a broadcast", "<!channel>", "&lt;!channel&gt;"],
  ["a mention", "<@U1>", "&lt;@U1&gt;"],
  ["a link with other words", "<https://evil|https://good>", "&lt;https://evil|https://good&gt;"],
  ["an escaped character", "&lt;", "&amp;lt;"],
  ["Markdown", "**bold** `code`", "**bold** `code`"],
])("%s is only text in Slack", (_, text, shown) => expect(toSlackText(text)).toBe(shown));

it("a text is cut by characters, and an escape is never cut", () => {
  expect(toSlackText("<".repeat(4_001))).toBe(`${"&lt;".repeat(3_999)}…`);
  expect(toSlackText("😀".repeat(4_000))).toBe("😀".repeat(4_000));
});

it.each([
  ["the mention of the app", "<@U0APP> sort it", "sort it"],
  ["the mention of another person", "<@U0APP> ask <@U1|ada>", "ask @ada"],
  ["a person without a name", "<@U1>", "@U1"],
  ["a channel", "in <#C1|board>", "in #board"],
  ["a broadcast", "<!here> <!subteam^S1|@team>", "@here @team"],
  ["a link", "<https://a.example/x>", "https://a.example/x"],
  ["a link with its address", "<http://a.example|a.example>", "http://a.example"],
  ["a link with other words", "<https://a.example|the page>", "the page (https://a.example)"],
  ["an address of mail", "<mailto:a@example.com|a@example.com>", "a@example.com"],
  ["escaped characters", "a &lt; b &amp;&amp; c &gt; d &amp;lt;", "a < b && c > d &lt;"],
  ["an escaped mention", "&lt;@U0APP&gt;", "<@U0APP>"],
])("%s is read as a person wrote it", (_, text, read) => expect(fromSlackText(text, "U0APP")).toBe(read));

it.each([
  ["C0BOARD:1764000000.000100", { channel: "C0BOARD", ts: "1764000000.000100" }],
  ["C0BOARD", null],
  ["c/../x:1.1", null],
  ["", null],
])("%j is the place of %j", (id, thread) => expect(fromPlaceId(id)).toEqual(thread));

describe("questions", () => {
  const asked: Asked = { projectId: "p", sessionId: "s", jobId: "j" };
  const long = "&".repeat(5_000);
  const option = { title: long, description: long, isRecommended: true };
  const question = { topic: "T", question: long, options: [option, option, option, option] };

  it.each([1, 2, 10])("of any length are within the limits of Slack: %i of them", (count) => {
    const { blocks } = toQuestionMessage(Array(count).fill(question), asked);
    expect(blocks.length).toBeLessThanOrEqual(50);
    const lengths: Record<string, number[]> = { mrkdwn: [], plain_text: [] };
    JSON.stringify(blocks, (_, value) => {
      if (typeof value?.text === "string") lengths[value.type]?.push(value.text.length);
      return value;
    });
    // An empty list has no maximum.
    expect(Math.max(...(lengths.mrkdwn ?? []))).toBeGreaterThan(0);
    expect(Math.max(...(lengths.mrkdwn ?? []))).toBeLessThanOrEqual(3_000);
    expect(Math.max(...(lengths.plain_text ?? []))).toBeGreaterThan(0);
    expect(Math.max(...(lengths.plain_text ?? []))).toBeLessThanOrEqual(75);
  });

  it.each<[what: string, click: Click, read: unknown]>([
    ["a button", { actions: [{ value: '["p","s","j",1]' }] }, { job: asked, answers: [{ question: 0, option: 1 }] }],
    ["a menu", { actions: [{ action_id: "choose" }] }, null],
    ["a button of another app", { actions: [{ value: "x" }] }, null],
    ["a value of another form", { actions: [{ value: "[1,2]" }] }, null],
    ["no action", {}, null],
    [
      "the button after menus",
      {
        actions: [{ value: '["p","s","j",null]' }],
        state: {
          values: {
            "question-1": { choose: { selected_option: { value: "3" } } },
            "question-0": { choose: { selected_option: null } },
            other: { choose: { selected_option: { value: "1" } } },
          },
        },
      },
      { job: asked, answers: [{ question: 1, option: 3 }] },
    ],
  ])("%s is read", (_, click, read) => expect(readAnswers(click)).toEqual(read));
});
