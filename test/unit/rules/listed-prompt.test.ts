// Prompts in lists and events, and lengths that are counted in code points.
import { describe, expect, it } from "vitest";
import { toListedPrompt } from "../../../src/rules/listed-prompt.ts";
import { hasMoreCodePoints, toFirstCodePoints } from "../../../src/rules/text.ts";
import { toSearchablePrompt } from "../../../src/session/rules/filter.ts";
import { toSessionEvent } from "../../../src/session/rules/live-event.ts";
import { toSummary } from "../../../src/session/rules/summary.ts";
import { toWireSummary } from "../../../src/session/wire.ts";
import { sessionState } from "../../support/session-state.ts";

describe("a text of at most this many code points", () => {
  it.each<[text: string, most: number, first: string]>([
    ["", 0, ""],
    ["abc", 3, "abc"],
    ["abc", 2, "ab"],
    ["abc", 0, ""],
    ["😀😀", 2, "😀😀"],
    ["😀😀", 1, "😀"],
    ["a😀b", 2, "a😀"],
    ["a😀b", 3, "a😀b"],
    ["é́", 1, "é"],
    ["\ud83d\ud83d", 1, "\ud83d"],
    ["\u0000ab", 2, "\u0000a"],
  ])("%j, %i", (text, most, first) => {
    expect(toFirstCodePoints(text, most)).toBe(first);
    expect(hasMoreCodePoints(text, most)).toBe(first !== text);
  });
});

describe("a prompt in a list", () => {
  const long = "😀".repeat(2_000);
  it.each<[string, { prompt: string | null; isPromptCut?: boolean }, string | null, boolean]>([
    ["none", { prompt: null }, null, false],
    ["a short one", { prompt: "Look." }, "Look.", false],
    ["one of the longest", { prompt: long }, long, false],
    ["one that is longer", { prompt: `${long}a` }, long, true],
    ["one that was cut before", { prompt: long, isPromptCut: true }, long, true],
  ])("%s", (_, whole, prompt, isPromptCut) => {
    expect(toListedPrompt(whole)).toEqual({ prompt, isPromptCut });
  });
});

it("a search reads the first 4,000 characters of a prompt, in the form that searches compare", () => {
  expect(toSearchablePrompt(`${"É".repeat(4_000)}x`)).toBe("é".repeat(4_000));
});

describe("a prompt of 200,000 characters", () => {
  const prompt = "😀".repeat(200_000);
  const state = sessionState({ session: { prompt } });
  const cut = { prompt: "😀".repeat(2_000), isPromptCut: true };

  it("is whole in a summary of one session", () => {
    expect(toWireSummary(toSummary(state), "")).toMatchObject({ prompt, isPromptCut: false });
  });

  it("is cut in the event that a session records", () => {
    expect(toSessionEvent(state).view.summary.session).toMatchObject(cut);
  });
});
