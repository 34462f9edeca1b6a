import { describe, expect, it } from "vitest";
import {
  fromMaskedSettings,
  type KeptValue,
  mask,
  type ProjectSettings,
  type StoredValue,
  toMaskedSettings,
} from "../../../src/project/rules/settings.ts";

function settings<Value>(
  env: Record<string, Value>,
  ofWeb?: Record<string, Value>,
  name = "web",
): ProjectSettings<Value> {
  const web = { name, command: "run", endpoints: [], ...(ofWeb && { env: ofWeb }) };
  return { setup: ["npm ci"], services: [web], env };
}

it("every value is masked, except empty ones", () => {
  expect(toMaskedSettings(settings({ A: "secret", B: "" }, { C: "secret" }))).toEqual(
    settings({ A: mask, B: "" }, { C: mask }),
  );
  expect(toMaskedSettings(settings({}))).toEqual(settings({}));
});

describe("a mask in a request", () => {
  const stored = settings<StoredValue>({ A: { sealed: "a" }, B: { sealed: "b" } }, { A: { sealed: "web a" } });

  it("keeps the value of its service and name, and missing values are deleted", () => {
    expect(fromMaskedSettings(settings({ A: mask }, { A: mask }), stored)).toEqual(
      settings<StoredValue>({ A: { sealed: "a" } }, { A: { sealed: "web a" } }),
    );
    expect(fromMaskedSettings(settings({ A: "new", B: mask, C: "" }), stored)).toEqual(
      settings<KeptValue>({ A: "new", B: { sealed: "b" }, C: "" }),
    );
  });

  it.each<[string, ProjectSettings, string[]]>([
    ["a name that has no value", settings({ C: mask }, { B: mask }), ["services.0.env.B", "env.C"]],
    ["a service that has another name now", settings({}, { A: mask }, "site"), ["services.0.env.A"]],
    ["a name that every object has", settings({ constructor: mask }), ["env.constructor"]],
  ])("is refused for %s", (_, wanted, paths) => {
    expect(fromMaskedSettings(wanted, stored)).toMatchObject({
      code: "VALIDATION_ERROR",
      details: paths.map((path) => ({ path })),
    });
  });
});
