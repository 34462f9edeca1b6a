// The deploy agent's draft of a project's settings, which members change meanwhile.
import { describe, expect, test } from "vitest";
import { withDraft, withWrittenFields } from "../../../src/deploy/rules/settings-draft.ts";
import type { ProjectSettings } from "../../../src/project/rules/settings.ts";

const web = { name: "web", command: "npm start", endpoints: [{ port: 3000, public: true }] };
const settings = (changes: Partial<ProjectSettings> = {}): ProjectSettings => ({
  setup: [],
  services: [],
  env: {},
  ...changes,
});

test.each<
  [string, Partial<ProjectSettings>, Partial<ProjectSettings>, Partial<ProjectSettings>, Partial<ProjectSettings>]
>([
  // previous value, the agent's value, the members' value now, the applied value
  ["the agent's setup", {}, { setup: ["npm ci"] }, {}, { setup: ["npm ci"] }],
  ["a member's setup", {}, { setup: ["npm ci"] }, { setup: ["make"] }, { setup: ["make"] }],
  [
    "the agent's services beside a member's variable",
    {},
    { services: [web] },
    { env: { KEY: "k" } },
    { services: [web], env: { KEY: "k" } },
  ],
  [
    "both variables",
    { env: { A: "1" } },
    { env: { A: "1", B: "2" } },
    { env: { A: "1", C: "3" } },
    { env: { A: "1", B: "2", C: "3" } },
  ],
  ["a member's value", { env: { A: "1" } }, { env: { A: "2" } }, { env: { A: "3" } }, { env: { A: "3" } }],
  ["without the variable that the agent took out", { env: { A: "1" } }, { env: {} }, { env: { A: "1" } }, {}],
  [
    "without the variable that a member took out",
    { env: { A: "1" } },
    { env: { A: "1", B: "2" } },
    { env: {} },
    { env: { B: "2" } },
  ],
])("applied is %s", (_, base, drafted, current, inForce) => {
  const draft = { base: settings(base), settings: settings(drafted) };
  expect(withDraft(settings(current), draft)).toEqual(settings(inForce));
});

test("without a draft the project's settings apply, and a write changes the named fields", () => {
  expect(withDraft(settings({ setup: ["make"] }), null)).toEqual(settings({ setup: ["make"] }));
  const before = settings({ setup: ["make"], env: { A: "1" }, warmPool: false });
  expect(withWrittenFields(before, { services: [web], setup: undefined })).toEqual({ ...before, services: [web] });
});

describe.each(["toString", "constructor", "valueOf", "hasOwnProperty", "__proto__"])("a variable named %s", (name) => {
  const named = (value: string | null) => Object.fromEntries(value === null ? [] : [[name, value]]);
  test.each<[string, base: string | null, drafted: string | null, current: string | null, inForce: string | null]>([
    ["that the agent adds is in force", null, "1", null, "1"],
    ["that the agent takes out is not", "1", null, "1", null],
    ["that a member takes out is not", "1", "1", null, null],
    ["that a member adds is in force", null, null, "1", "1"],
  ])("%s", (_, base, drafted, current, inForce) => {
    const draft = { base: settings({ env: named(base) }), settings: settings({ env: named(drafted) }) };
    const { env } = withDraft(settings({ env: named(current) }), draft);
    expect(Object.entries(env)).toEqual(Object.entries(named(inForce)));
  });
});
