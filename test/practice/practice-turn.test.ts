import { describe, expect, test } from "vitest";
import type { Conversation, Entry } from "../../practice/model-provider/conversation.ts";
import { getAnswer } from "../../practice/model-provider/model.ts";
import { script } from "./agent.ts";

const tools = [{ name: "bash", input: {} }];
const user = (text: string): Entry => ({ from: "user", text });
const called: Entry[] = [
  { from: "model", callsTool: true },
  { from: "tool", text: "fine" },
];
const ended: Entry = { from: "model", callsTool: false };

/** What the model does next: the command it runs, the text it says, or how it fails. */
function next(entries: Entry[], about: Partial<Conversation> = {}): string {
  const answer = getAnswer({ instructions: "", tools, entries, ...about });
  const said = answer.before.flatMap((part) => (part.kind === "say" ? [part.text] : []));
  return answer.failure?.kind ?? String(answer.call?.input.command ?? answer.call?.name ?? said.join(" "));
}

const twoSteps = script({ bash: "one" }, { bash: "two" }, { say: "end" });
const looks = "ls";

describe("a steer", () => {
  test("without a block lets the script continue", () => {
    expect(next([user(twoSteps), ...called, user("also this")])).toBe("two");
  });

  test("without a block continues the script even before its first response", () => {
    expect(next([user(twoSteps), user("also this")])).toBe("one");
  });

  test("may be one of several that are taken together, before a wait", () => {
    const waiting = script({ bash: "one" }, { sleep: 5 }, { bash: "two" });
    expect(next([user(waiting), ...called, user("also this"), user("and that")])).toBe("two");
  });

  test("with a block is followed from its first step", () => {
    expect(next([user(twoSteps), ...called, user(script({ bash: "other" }))])).toBe("other");
    expect(next([user(twoSteps), ...called, user(script({ bash: "other" })), ...called])).toContain("come to its end");
  });
});

describe("a message without a block in the next turn", () => {
  test.each([
    ["after a turn that came to its end", [user(twoSteps), ...called, ...called, ended]],
    ["after a turn that failed", [user(script({ bash: "one" }, { fail: "overloaded" })), ...called]],
    ["after a turn that failed at once", [user(script({ fail: "unauthorized" }))]],
    [
      "after a turn that was stopped while the model waited",
      [user(script({ say: "a" }, { sleep: 600_000 }, { bash: "one" }))],
    ],
    [
      "after a turn whose command was stopped",
      [
        user(twoSteps),
        { from: "model", callsTool: true },
        { from: "tool", text: "half\n\nCommand aborted" },
      ] as Entry[],
    ],
    ["after a question that was the last step", [user(script({ ask: { questions: [] } })), ...called]],
  ])("is answered for itself %s", (_when, before) => {
    expect(next([...before, user("Hello")])).toBe(looks);
    expect(next([...before, user("Hello"), ...called])).toContain("practice model");
  });

  test("is answered separately if a note says that the previous turn was stopped", () => {
    const stopped = [user(script({ bash: "one" }, { sleep: 600_000 }, { bash: "two" })), ...called];
    expect(next([...stopped, user("[The turn was stopped by a member.]"), user("Hello")])).toBe(looks);
    expect(next([...stopped, user("[The turn was stopped by a member.]\n\nHello")])).toBe(looks);
  });

  test("continues with the steps after a question", () => {
    expect(next([user(script({ ask: { questions: [] } }, { bash: "after" })), ...called, user("A")])).toBe("after");
  });
});

describe("a conversation as text", () => {
  const told = (text: string) => `<conversation>\nUser: ${text}\n\nAssistant: done\n</conversation>`;

  test("uses the block of the newest message", () => {
    expect(next([user(`${told(twoSteps)}\n\n${script({ bash: "new" })}`)])).toBe("new");
    expect(next([user(`User: ${twoSteps}\n\nUser: ${script({ bash: "new" })}`)])).toBe("new");
  });

  test("adds no block", () => {
    expect(next([user(`${told(twoSteps)}\n\nGo on`)])).toBe(looks);
    expect(next([user(`${told(twoSteps).replaceAll("conversation>", "conversation_so_far>")}\n\nGo on`)])).toBe(looks);
  });
});

describe("a summary", () => {
  const summarizing = { instructions: "You are a context summarization assistant.", tools: [] };

  test("is text, whatever the conversation contains", () => {
    const text = `<conversation>\n[User]: ${script({ fail: "overloaded" })}\n</conversation>\n\nSummarize it.`;
    expect(next([user(text)], summarizing)).toContain("summary");
  });

  test("of a running turn continues its script", () => {
    const prefix = `# Conversation\n[User]: ${twoSteps}\n\n[Assistant tool calls]: bash(command="one")\n\n# Instructions\n`;
    const summary = next([user(prefix)], summarizing);
    expect(next([user(`<summary>\n${summary}\n</summary>`)])).toBe("two");
    expect(next([user(`<summary>\n${summary}\n</summary>`), ...called])).toBe("end");
  });

  const threeSteps = script({ bash: "one" }, { bash: "two" }, { bash: "three" }, { say: "end" });
  const call = (command: string) => `[Assistant tool calls]: bash(command="${command}")\n\n[Tool result]: fine`;

  test("of an earlier summarized turn continues its script", () => {
    const first = next(
      [user(`# Conversation\n[User]: ${threeSteps}\n\n${call("one")}\n\n# Instructions\n`)],
      summarizing,
    );
    const again = `<conversation>\n${call("two")}\n</conversation>\n\n<previous-summary>\n${first}\n</previous-summary>\n\nUpdate it.`;
    expect(next([user(next([user(again)], summarizing))])).toBe("three");
  });

  test("of ended turns restores no script", () => {
    const over = `[User]: ${threeSteps}\n\n${call("one")}\n\n[Assistant]: end`;
    const stopped = `[User]: ${threeSteps}\n\n${call("one")}\n\nCommand aborted`;
    for (const conversation of [over, stopped, `${over}\n\n[User]: and now?`]) {
      const summary = next([user(`<conversation>\n${conversation}\n</conversation>\n\nSummarize it.`)], summarizing);
      expect(summary).not.toContain("```");
    }
  });
});

test("a title is text, whatever the message contains", () => {
  const instructions = "You are a title generator.";
  expect(next([user(script({ fail: "overloaded" }))], { instructions, tools: [] })).toBe(
    "Practice: Please follow this.",
  );
});

test("the title of a quoted message is from its words", () => {
  const instructions = "You write titles.";
  const quoted = ["```practice", '{"say":"hi"}', "```", "", "Sort the board."].map((line) => `> ${line}`).join("\n");
  expect(next([user(quoted)], { instructions, tools: [] })).toBe("Practice: Sort the board.");
});
