// The draft of the deploy agent over a project's settings, which members change meanwhile.
import { expect, test } from "vitest";
import { withDraft, written } from "../../../src/rules/deploy/settings-draft.ts";
import type { ProjectSettings } from "../../../src/rules/project/settings.ts";

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
  // what it was, what the agent wrote, what members have now, what is in force
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
])("in force is %s", (_, base, drafted, current, inForce) => {
  const draft = { base: settings(base), settings: settings(drafted) };
  expect(withDraft(settings(current), draft)).toEqual(settings(inForce));
});

test("without a draft the project's settings are in force, and a write changes the fields that it names", () => {
  expect(withDraft(settings({ setup: ["make"] }), null)).toEqual(settings({ setup: ["make"] }));
  const before = settings({ setup: ["make"], env: { A: "1" }, warmPool: false });
  expect(written(before, { services: [web], setup: undefined })).toEqual({ ...before, services: [web] });
});
