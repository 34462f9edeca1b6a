// The practice model in a Deploy, without a script.
import { expect, test } from "vitest";
import type { Entry } from "../../practice/model-provider/conversation.ts";
import { getAnswer } from "../../practice/model-provider/model.ts";
import { formatFirstTask } from "../../src/deploy/rules/agent-profile.ts";
import { script } from "./agent.ts";

const tools = ["bash", "project_settings"].map((name) => ({ name, input: {} }));
const none = { setup: [], services: [], env: {} };
const task = (settings: object = none) =>
  formatFirstTask({ problems: [], settings: JSON.stringify(settings, null, 2) });
const user = (text: string): Entry => ({ from: "user", text });
const told = (text: string): Entry[] => [
  { from: "model", callsTool: true },
  { from: "tool", text },
];
const answer = (...entries: Entry[]) => getAnswer({ instructions: "", tools, entries });
const words = (...entries: Entry[]) =>
  answer(...entries)
    .before.map((part) => ("text" in part ? part.text : ""))
    .join(" ");

const read = `package.json\nserver.js\n--- package.json\n${JSON.stringify({ scripts: { start: "node server.js" }, dependencies: { a: "1" } })}`;

test("it reads package.json, writes setup and a service, and says what it did", () => {
  expect(answer(user(task())).call?.input.command).toContain("cat package.json");
  const { call } = answer(user(task()), ...told(read));
  expect(call).toMatchObject({
    name: "project_settings",
    input: {
      setup: [expect.stringContaining("npm")],
      services: [{ name: "web", endpoints: [{ port: 3000, public: true }] }],
    },
  });
  const end = [user(task()), ...told(read), ...told("The settings are written.\nweb: port 3000 answers.")];
  expect([answer(...end).call, words(...end)]).toEqual([null, expect.stringContaining("web: port 3000 answers.")]);
});

test("where an agent asked for the settings, it asks a member", () => {
  const refusal = "The settings were not written, because an agent wrote a message of this turn.";
  const end = [user(task()), ...told(read), ...told(refusal)];
  expect(answer(...end).call).toMatchObject({
    name: "ask",
    input: { questions: [{ options: [{ title: "Yes" }, {}] }] },
  });
});

test("a project without a service that it knows, or with services, is left as it is; a script goes first", () => {
  const unknown = [user(task()), ...told("README.md\n--- package.json\ncat: package.json: No such file or directory")];
  expect([answer(...unknown).call, words(...unknown)]).toEqual([null, expect.stringContaining("names no service")]);
  const settings = { ...none, services: [{ name: "web", command: "node server.js", endpoints: [] }] };
  expect(answer(user(task(settings))).call?.name).not.toBe("project_settings");
  expect(answer(user(`${task()}\n\n${script({ bash: "mine" })}`)).call?.input.command).toBe("mine");
});
