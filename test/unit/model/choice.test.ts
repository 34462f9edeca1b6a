import { describe, expect, it } from "vitest";
import { catalog, findCatalogEntry } from "../../../src/model/catalog.ts";
import { providers } from "../../../src/model/providers.ts";
import { checkChosenModel, findModelOfTurn, type ModelPreferences } from "../../../src/model/rules/choice.ts";
import { findProvider, formatModelId, parseModelId, reasonings, speeds } from "../../../src/model/rules/model.ts";
import { type ProviderId, providerIds } from "../../../src/model/rules/provider.ts";
import { getInvocationCharacter } from "../../../src/skill/rules/skill-call.ts";

const unique = <T>(values: T[]): T[] => [...new Set(values)];
const facts = (...runnable: ProviderId[]) => ({ catalog, runnable: new Set(runnable) });

describe("the four providers", () => {
  it.each([
    ["anthropic", "anthropic-messages", "/"],
    ["openai", "openai-responses", "$"],
    ["zai", "anthropic-messages", "/"],
    ["kimi", "anthropic-messages", "/"],
  ] as const)("%s uses %s and calls skills with %s", (id, wire, invocationCharacter) => {
    expect(providers[id]).toMatchObject({ id, wire });
    expect(getInvocationCharacter(`${id}:x__high`)).toBe(invocationCharacter);
  });

  it("deploys run on anthropic and openai", () => {
    expect(providerIds.filter((id) => providers[id].deployReasoning !== null)).toEqual(["anthropic", "openai"]);
  });
});

describe("the catalog", () => {
  it("lists the four providers in their order, each contiguously", () => {
    expect(unique(catalog.map((entry) => entry.provider))).toEqual(["anthropic", "openai", "zai", "kimi"]);
    const changes = catalog.filter((entry, index) => entry.provider !== catalog[index - 1]?.provider);
    expect(changes).toHaveLength(4);
  });

  it("names each entry once", () => {
    expect(unique(catalog.map((entry) => entry.value))).toHaveLength(catalog.length);
    expect(unique(catalog.map((entry) => entry.label))).toHaveLength(catalog.length);
  });

  it.each(providerIds)("has at least two current families of %s, each at several efforts", (provider) => {
    const current = catalog.filter((entry) => entry.provider === provider && !entry.legacy);
    const families = unique(current.map((entry) => entry.model));
    expect(families.length).toBeGreaterThanOrEqual(2);
    for (const model of families) {
      const efforts = current.filter((entry) => entry.model === model && entry.speed === null);
      expect(unique(efforts.map((entry) => entry.reasoning)).length).toBeGreaterThanOrEqual(2);
    }
  });

  it("has a fast speed, ultrafast for exactly one model, and a retired model", () => {
    expect(catalog.some((entry) => entry.speed === "fast")).toBe(true);
    expect(unique(catalog.filter((entry) => entry.speed === "ultrafast").map((entry) => entry.model))).toHaveLength(1);
    expect(catalog.some((entry) => entry.legacy === true)).toBe(true);
  });

  it("has every effort of the contract", () => {
    expect(unique(catalog.map((entry) => entry.reasoning))).toEqual(
      expect.arrayContaining(["medium", "high", "xhigh", "ultra"]),
    );
  });

  it("offers every speed of a model at each of its efforts", () => {
    for (const { provider, model, speed } of catalog) {
      const at = (wanted: typeof speed) =>
        catalog
          .filter((entry) => entry.provider === provider && entry.model === model && entry.speed === wanted)
          .map((entry) => entry.reasoning);
      expect(at(speed)).toEqual(at(null));
    }
  });

  it.each(catalog.map((entry) => [entry.value, entry] as const))(
    "has the price and the context size of %s",
    (_, entry) => {
      expect(entry.wireId).toMatch(/^[a-z0-9][a-z0-9.-]+$/);
      expect(entry.contextWindow).toBeGreaterThan(entry.maxOutputTokens);
      expect(entry.maxOutputTokens).toBeGreaterThanOrEqual(32_000);
      expect(entry.price.input).toBeGreaterThan(0);
      expect(entry.price.output).toBeGreaterThan(entry.price.input);
      expect(entry.price.cacheRead).toBeLessThan(entry.price.input);
    },
  );

  it("expresses every speed in the request, by id or by field", () => {
    for (const entry of catalog.filter(({ speed }) => speed !== null)) {
      const standard = findCatalogEntry(formatModelId({ ...entry, speed: null }));
      expect([entry.wireId, entry.wireSpeed]).not.toEqual([standard?.wireId, standard?.wireSpeed]);
    }
  });
});

describe("a model id", () => {
  it("is <provider>:<model>__<reasoning>, with __<speed> when there is one", () => {
    expect(parseModelId("anthropic:opus__xhigh")).toEqual({
      provider: "anthropic",
      model: "opus",
      reasoning: "xhigh",
      speed: null,
    });
    expect(parseModelId("openai:gpt-luna__high__fast")).toEqual({
      provider: "openai",
      model: "gpt-luna",
      reasoning: "high",
      speed: "fast",
    });
  });

  it.each(catalog.map((entry) => entry.value))("%s is rebuilt from its parts", (value) => {
    const entry = findCatalogEntry(value);
    const parts = parseModelId(value);
    expect(parts).toEqual({
      provider: entry?.provider,
      model: entry?.model,
      reasoning: entry?.reasoning,
      speed: entry?.speed,
    });
    expect(parts && formatModelId(parts)).toBe(value);
  });

  it("survives every combination of provider, effort and speed", () => {
    for (const provider of providerIds) {
      for (const reasoning of reasonings) {
        for (const speed of [null, ...speeds]) {
          const parts = { provider, model: "a-1", reasoning, speed };
          expect(parseModelId(formatModelId(parts))).toEqual(parts);
        }
      }
    }
  });

  it.each([
    "",
    "opus",
    "anthropic:opus",
    "anthropic:__high",
    "google:gemini__high",
    "anthropic:opus__huge",
    "anthropic:opus__high__slow",
    "anthropic:opus__high__",
    "anthropic:opus__high__fast__fast",
    " anthropic:opus__high",
    "anthropic:opus__high\n",
    "Anthropic:opus__high",
  ])("is not %j", (id) => {
    expect(parseModelId(id)).toBeNull();
  });

  it("contains its provider, even after it has left the catalog", () => {
    expect(findProvider("openai:old__high")).toBe("openai");
    expect(findProvider("openai")).toBeNull();
    expect(findProvider("google:x__high")).toBeNull();
    expect(findProvider(null)).toBeNull();
  });
});

describe("the model of a turn", () => {
  const none: ModelPreferences = { asked: null, current: null, assigneeDefault: null, workspaceDefault: null };
  const opus = "anthropic:opus__high";
  const gpt = "openai:gpt__high";
  const glm = "zai:glm__high";

  it("is the requested one if its provider can be run", () => {
    expect(findModelOfTurn({ ...none, asked: gpt, current: opus }, facts("anthropic", "openai"))).toBe(gpt);
  });

  it("is the session's own if the requested one is not in the catalog", () => {
    expect(findModelOfTurn({ ...none, asked: "openai:nope__high", current: opus }, facts("anthropic", "openai"))).toBe(
      opus,
    );
  });

  it("is the session's own if the Assignee cannot run the requested one", () => {
    expect(findModelOfTurn({ ...none, asked: gpt, current: opus }, facts("anthropic"))).toBe(opus);
  });

  it("stays the session's own if its provider can no longer be run", () => {
    expect(findModelOfTurn({ ...none, current: gpt, assigneeDefault: opus }, facts("anthropic"))).toBe(gpt);
  });

  it("is the Assignee's default in a session without one", () => {
    expect(findModelOfTurn({ ...none, assigneeDefault: glm, workspaceDefault: opus }, facts("anthropic", "zai"))).toBe(
      glm,
    );
  });

  it("is the workspace's default if the Assignee has none, or cannot run it", () => {
    const preferences = { ...none, workspaceDefault: gpt };
    expect(findModelOfTurn(preferences, facts("anthropic", "openai"))).toBe(gpt);
    expect(findModelOfTurn({ ...preferences, assigneeDefault: glm }, facts("anthropic", "openai"))).toBe(gpt);
  });

  it("is chosen by the service if no default can be run", () => {
    expect(findModelOfTurn({ ...none, assigneeDefault: opus, workspaceDefault: gpt }, facts("kimi", "zai"))).toBe(glm);
    expect(findModelOfTurn(none, facts("openai"))).toBe(gpt);
  });

  it("is none if no provider can be run", () => {
    expect(findModelOfTurn({ ...none, asked: opus, assigneeDefault: gpt }, facts())).toBeNull();
  });

  it.each(providerIds)("is a current one at standard speed if %s is the only provider", (provider) => {
    const chosen = findCatalogEntry(findModelOfTurn(none, facts(provider)) ?? "");
    expect(chosen).toMatchObject({ provider, speed: null });
    expect(chosen?.legacy).toBeUndefined();
  });
});

describe("a model that is set explicitly", () => {
  it("is refused as invalid if it is not in the catalog", () => {
    expect(checkChosenModel("openai:nope__high", facts("openai"))?.code).toBe("VALIDATION_ERROR");
  });

  it("is refused with what to do if the Assignee cannot run it", () => {
    const refusal = checkChosenModel("openai:gpt__high", facts("anthropic"));
    expect(refusal?.code).toBe("BAD_REQUEST");
    expect(refusal?.message).toContain("Connect openai");
  });

  it("is accepted otherwise, also a retired one", () => {
    for (const { value, provider } of catalog) expect(checkChosenModel(value, facts(provider))).toBeNull();
  });
});
