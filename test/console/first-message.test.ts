// The message that started a turn is found also where the turn is longer than a page.
import { expect, test } from "vitest";
import {
  type findFirstMessage,
  isCutOff,
  mayBeStarter,
  readFirstMessage,
} from "../../console/src/composer/first-message.ts";

type Message = Parameters<typeof findFirstMessage>[0][number];
const olive = { userId: "olive", name: "Olive", email: "olive@example.com", imageUrl: null };
const write = (jobId: string, delivery: "job" | "steer" | null, content = ""): Message => ({
  role: delivery === null ? "assistant" : "user",
  jobId,
  delivery,
  author: delivery === null ? null : olive,
  content: delivery === null ? null : content,
});

test.each<[what: string, messages: Message[], isCut: boolean]>([
  ["nothing is known yet", [], false],
  ["the turn begins among the newest messages", [write("a", "job"), write("b", "job"), write("b", null)], false],
  ["the turn has no message yet", [write("a", "job"), write("a", null)], false],
  ["the newest messages begin with the answer", [write("b", null)], true],
  ["the newest messages begin with a steer", [write("b", "steer"), write("b", null)], true],
])("%s", (_, messages, isCut) => {
  expect(isCutOff(messages, "b")).toBe(isCut);
});

test.each<[what: string, pages: Message[][], content: string | null]>([
  [
    "pages back",
    [[write("b", null)], [write("b", "steer", "Faster"), write("b", null)], [write("b", "job", "Sort")]],
    "Sort",
  ],
  ["none of a turn without one", [[write("b", null)]], null],
])("the first message of a turn is read: %s", async (_, pages, content) => {
  const first = await readFirstMessage("b", async (before) => {
    const at = Number(before ?? 0);
    return { messages: pages[at] ?? [], before: at + 1 < pages.length ? String(at + 1) : null };
  });
  expect(first?.content ?? null).toBe(content);
});

test.each<[what: string, first: Message | null | undefined, userId: string, isMine: boolean]>([
  ["the person's own turn", write("b", "job"), "olive", true],
  ["somebody else's turn", write("b", "job"), "mallory", false],
  ["a turn whose first message is not read yet", undefined, "mallory", true],
  ["a turn without such a message", null, "olive", false],
])("who may steer %s", (_, first, userId, isMine) => {
  expect(mayBeStarter(first, userId)).toBe(isMine);
});
