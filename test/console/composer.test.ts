// The rules of the composer: keys, refusals, the `/`, files and models.
import { ConnectionError, type ErrorCode, type Schemas, SwitchyardError } from "@switchyard/client";
import { expect, test } from "vitest";
import { findFileProblem, formatBytes } from "../../console/src/composer/files.ts";
import {
  canRunAny,
  findAccessProblem,
  findChoiceProblem,
  findKeyHint,
  groupModels,
  pickEntry,
} from "../../console/src/composer/models.ts";
import {
  findFailedStep,
  findModelStep,
  findNextStep,
  isUnsure,
  type KeyPress,
  type Phase,
  readKey,
  type Written,
  wakesAhead,
} from "../../console/src/composer/send-rules.ts";
import { fillSuggestion, listSuggestions, readCommand, readPrefix, signOf } from "../../console/src/composer/slash.ts";
import { dropProgramAdvice, renameField } from "../../console/src/ui/sentence.ts";
import { toChosenOptions } from "../../src/chat/rules/clarification.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { findSpentReason, noSpend } from "../../src/usage/rules/spend-limit.ts";

const press = (keys: string, isComposing = false): KeyPress => ({
  key: keys.split("+").at(-1) ?? "",
  shiftKey: keys.includes("Shift"),
  metaKey: keys.includes("Cmd"),
  ctrlKey: keys.includes("Ctrl"),
  altKey: keys.includes("Alt"),
  isComposing,
});

test.each<[keys: string, phase: Phase, isTouch: boolean, action: string | null]>([
  ["Enter", "idle", false, "send"],
  ["Enter", "running", false, "send"],
  ["Enter", "asks", false, "send"],
  ["Shift+Enter", "idle", false, null],
  ["Alt+Enter", "idle", false, null],
  ["Cmd+Shift+Enter", "running", false, "steer"],
  ["Ctrl+Shift+Enter", "running", false, "steer"],
  ["Cmd+Shift+Enter", "starting", false, "steer"],
  ["Cmd+Shift+Enter", "idle", false, "send"],
  ["Cmd+Enter", "idle", false, "send"],
  ["Enter", "idle", true, null],
  ["Cmd+Enter", "idle", true, "send"],
  ["a", "idle", false, null],
])("%s while %s, on touch %s: %s", (keys, phase, isTouch, action) => {
  expect(readKey(press(keys), phase, isTouch)).toBe(action);
});

const now = Date.UTC(2026, 10, 27);
const minuteMs = 60_000;

test.each<[what: string, written: Partial<Written>, wakes: boolean]>([
  ["a first letter", {}, true],
  ["the answer to a question", { phase: "asks" }, true],
  ["a message to a working agent", { phase: "running" }, false],
  ["a message to an agent whose sandbox starts", { phase: "starting" }, false],
  ["nothing yet", { text: " " }, false],
  ["a message to a session Under Review", { status: "under-review" }, false],
  ["a message to a session that is over", { status: "completed" }, false],
  ["more of a message that woke the sandbox", { wokenAt: now - minuteMs }, false],
  ["a message that takes minutes to write", { wokenAt: now - 2 * minuteMs }, true],
])("%s wakes the sandbox ahead: %j, %s", (_, written, wakes) => {
  const letter: Written = { status: "active", phase: "idle", text: "H", wokenAt: null };
  expect(wakesAhead({ ...letter, ...written }, now)).toBe(wakes);
});

test("Enter of an input method sends nothing", () => {
  expect(readKey(press("Enter", true), "idle", false)).toBeNull();
});

const refusal = (code: ErrorCode, status = 409, sentence = "No.") =>
  new SwitchyardError(sentence, {
    failure: { code, details: undefined } as SwitchyardError["failure"],
    status,
    requestId: "r",
    retryAfterMs: null,
    operation: "POST /x",
  });

test.each<[ErrorCode, step: string | null, label: string | null]>([
  ["JOB_STOPPED", "again", "Send it still"],
  ["UNAUTHORIZED", "sign-in", "Sign in"],
  ["SANDBOX_LIMIT_REACHED", "sandboxes", "Running sessions"],
  ["QUEUE_FULL", "again", "Send again"],
  ["PAYLOAD_TOO_LARGE", null, null],
  ["CONFLICT", "again", "Send again"],
])("after %s comes %s", (code, step, label) => {
  expect(findNextStep(refusal(code))).toMatchObject({ step, label });
});

const spent = { limitUsd: 5, spentNanoUsd: 5e9 };
const workspaceSpent = findSpentReason({ workspace: spent, session: noSpend }) ?? "";
const sessionSpent = findSpentReason({ workspace: noSpend, session: spent }) ?? "";

test.each([
  [workspaceSpent, true, "usage", "Raise the limit"],
  [workspaceSpent, false, "usage", "See the limit"],
  [sessionSpent, false, "info", "Raise the limit"],
])("after %j, a person who may raise it (%s) goes to %s", (sentence, mayRaise, step, label) => {
  expect(findNextStep(refusal("CREDIT_LIMIT_REACHED", 402, sentence), mayRaise)).toMatchObject({ step, label });
});

test("the hint at a limit does not repeat the service, and says what to do first", () => {
  expect(findNextStep(refusal("SANDBOX_LIMIT_REACHED")).hint).toBe("Then send again.");
  const spentRefusal = refusal("CREDIT_LIMIT_REACHED", 402, workspaceSpent);
  expect(findNextStep(spentRefusal, true).hint).toBe("Raise it, then try again.");
});

test("an answer that came second says so, and is not sent again", () => {
  const sentence = toChosenOptions([], [{ question: 0, option: 0 }]);
  expect(findNextStep(refusal("BAD_REQUEST", 400, isRefusal(sentence) ? sentence.message : ""))).toEqual({
    ...{ step: null, label: null },
    hint: "Somebody answered it first.",
  });
});

test("what the service says to programs is left out for people", () => {
  expect(dropProgramAdvice(workspaceSpent)).toBe("The workspace has reached its spend limit of $5 this month.");
  expect(dropProgramAdvice(sessionSpent)).toBe("The session has reached its spend limit of $5.");
  expect(dropProgramAdvice("Use GET /api/user. It is so.")).toBe("It is so.");
  expect(dropProgramAdvice("Use GET /api/user.")).toBe("Use GET /api/user.");
});

test("a refused field has its name on the page", () => {
  expect(renameField("targetBranch must be a branch.", "targetBranch", "The target branch")).toBe(
    "The target branch must be a branch.",
  );
  expect(renameField("There is no branch title.", "title", "The title")).toBe("There is no branch title.");
});

test.each<[string, unknown, boolean]>([
  ["a broken connection", new ConnectionError("POST /x", true, "cut"), true],
  ["a failure of the service", refusal("SERVICE_UNAVAILABLE", 503), true],
  ["a refusal", refusal("QUEUE_FULL"), false],
  ["an error of the page", new TypeError("x"), false],
])("%s: unsure is %3$s", (_, error, isOpen) => {
  expect(isUnsure(error)).toBe(isOpen);
});

test.each([
  ["context_window_exceeded", "fresh"],
  ["no_credentials", "models"],
  ["subscription_limit_reached", "account"],
  ["provider_overloaded", "again"],
  [null, "again"],
])("a turn that failed with %s: %s", (code, step) => {
  expect(findFailedStep(code)).toBe(step);
});

type Access = Schemas["ProviderAccess"];
const unconnected: Access = { canRun: false, via: null, needsReauth: false };
const expired: Access = { canRun: false, via: "subscription", needsReauth: true };

test.each<[isAdmin: boolean, Access, to: string, hint: RegExp]>([
  [true, unconnected, "/w/$workspace/models", /^Connect a provider/],
  [true, { canRun: false, via: "workspace", needsReauth: true }, "/w/$workspace/models", /^Connect a provider/],
  [true, expired, "/account/subscriptions", /^Sign in again/],
  [false, unconnected, "/account/subscriptions", /^Ask an owner or admin/],
])("without a model, an owner or admin (%s) with %j goes to %s", (isAdmin, anthropic, to, hint) => {
  expect(findModelStep(isAdmin, { anthropic })).toMatchObject({ to, hint: expect.stringMatching(hint) });
});

test("a message can start where one provider can be run, or while that is not known", () => {
  const none = { anthropic: unconnected, openai: expired, zai: unconnected, kimi: unconnected };
  expect(canRunAny(none)).toBe(false);
  expect(canRunAny({ ...none, zai: { canRun: true, via: "workspace", needsReauth: false } })).toBe(true);
  expect(canRunAny(undefined)).toBe(true);
});

test.each<[text: string, caret: number, prefix: string | null]>([
  ["/", 1, "/"],
  ["/sv", 3, "/sv"],
  ["/svc:ship now", 5, "/svc:"],
  ["/svc:ship now", 13, null],
  ["$ship", 5, "$ship"],
  [" /svc", 5, null],
  ["see /svc", 8, null],
  ["/", 0, null],
])("the prefix of %j at %i: %j", (text, caret, prefix) => {
  expect(readPrefix(text, caret)).toBe(prefix);
});

const skill = (name: string): Schemas["Skill"] => ({ name, description: "", argumentHint: null, source: "factory" });

test.each<[prefix: string, sign: "/" | "$", names: string[]]>([
  ["/", "/", ["/svc:ship", "/tidy", "/clear", "/compact"]],
  ["/c", "/", ["/clear", "/compact", "/svc:ship"]],
  ["/ship", "/", ["/svc:ship"]],
  ["$t", "$", ["$tidy"]],
  ["/c", "$", ["/clear", "/compact"]],
  ["/zzz", "/", []],
])("%s with %s suggests %j", (prefix, sign, names) => {
  expect(listSuggestions(prefix, [skill("svc:ship"), skill("tidy")], sign).map(({ name }) => name)).toEqual(names);
});

test.each<[text: string, command: unknown]>([
  ["/clear", { command: "/clear" }],
  [" /clear \n", { command: "/clear" }],
  ["/clear the table", null],
  ["/compact", { command: "/compact" }],
  ["/compact keep the plan", { command: "/compact", instructions: "keep the plan" }],
  ["/compactor", null],
  ["Say /clear", null],
])("the command of %j", (text, command) => {
  expect(readCommand(text)).toEqual(command);
});

test("a chosen name keeps what is after it", () => {
  expect(fillSuggestion("/sv -d", "/svc:open-pr")).toBe("/svc:open-pr -d");
  expect(signOf("openai:gpt__high")).toBe("$");
  expect(signOf(null)).toBe("/");
});

test("files: sizes and limits", () => {
  expect([12, 2_048, 20_000, 3_000_000].map(formatBytes)).toEqual(["12 B", "2 KB", "20 KB", "2.9 MB"]);
  const file = (size: number) => ({ name: "a.png", size });
  expect(findFileProblem([file(10_485_760)])).toBeNull();
  expect(findFileProblem([file(10_485_761)])).toContain("a.png");
  expect(findFileProblem(Array.from({ length: 12 }, () => file(1)))).toContain("Remove 2");
});

const model = (value: string, reasoning: "low" | "high", speed: "fast" | null, legacy?: true): Schemas["Model"] => ({
  value,
  provider: "anthropic",
  model: value.split("_")[0] ?? "",
  reasoning,
  speed,
  label: `${value} · x`,
  ...(legacy ? { legacy } : {}),
});

test("models: families by provider, and the nearest entry", () => {
  const old = model("old_a", "low", null, true);
  const models = [old, model("opus_a", "low", null), model("opus_b", "high", null), model("opus_c", "high", "fast")];
  const [[provider, families] = ["", []]] = groupModels(models);
  expect([provider, families.map((one) => one.model)]).toEqual(["anthropic", ["opus", "old"]]);
  const pick = (reasoning: "low" | "high", speed: "fast" | null) =>
    families[0] && pickEntry(families[0], { reasoning, speed })?.value;
  expect([pick("high", "fast"), pick("low", "fast"), pick("high", null)]).toEqual(["opus_c", "opus_a", "opus_b"]);
  expect(findAccessProblem({ canRun: false, via: null, needsReauth: true })).toContain("Sign in again");
  expect(findAccessProblem({ canRun: true, via: "workspace", needsReauth: false })).toBeNull();
});

test("the field of a key says how the keys of the practice provider begin", () => {
  const models = [{ ...model("opus", "high", null), label: "Opus, high (practice)" }];
  expect(findKeyHint(models, "anthropic")).toContain("sk-practice-");
  expect([findKeyHint(models, "zai"), findKeyHint([model("opus", "high", null)], "anthropic")]).toEqual([null, null]);
});

test("a chosen model whose provider cannot be run says so, and a default does not", () => {
  const models = [model("opus", "high", null)];
  const access = { anthropic: unconnected, openai: unconnected, zai: unconnected, kimi: unconnected };
  expect(findChoiceProblem(models, "opus", access)).toMatch(/^Anthropic: No login or key/);
  expect(findChoiceProblem(models, "opus", { ...access, anthropic: { ...unconnected, canRun: true } })).toBeNull();
  expect(findChoiceProblem(models, "opus", undefined)).toBeNull();
  expect(findChoiceProblem(models, null, access)).toBeNull();
});
