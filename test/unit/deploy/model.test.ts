// The model of a Deploy if none is saved: the default of the first provider for which the workspace
// has credentials.
import { expect, test } from "vitest";
import { findDeployModel } from "../../../src/deploy/rules/model.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { findDefaultModel } from "../../../src/model/rules/model.ts";
import type { ProviderId } from "../../../src/model/rules/provider.ts";

const unsaved = (...runnable: ProviderId[]) => findDeployModel(null, { catalog, runnable: new Set(runnable) });

test("it is anthropic's default at xhigh", () => {
  expect(unsaved("openai", "anthropic")).toBe(findDefaultModel("anthropic", catalog, "xhigh"));
  expect(unsaved("anthropic")).toMatch(/^anthropic:.+__xhigh$/);
});

test("it is openai's default at high if the workspace has only that", () => {
  expect(unsaved("openai", "zai", "kimi")).toMatch(/^openai:.+__high$/);
});

test("it is none if there are only other providers", () => {
  expect(unsaved("zai", "kimi")).toBeNull();
});
