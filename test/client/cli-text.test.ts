// The command line's own rules: what a terminal is shown, and how addresses, times and repositories
// are read.
import { ConnectionError, type ErrorCode, GaveUpError, SwitchyardError, toVisible } from "@switchyard/client";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { formatAge } from "../../packages/cli/src/age.ts";
import { parseDuration, parseSince } from "../../packages/cli/src/command.ts";
import { explainUnknownCommand, parseCommand } from "../../packages/cli/src/commands/attach.ts";
import { toUrl } from "../../packages/cli/src/config.ts";
import {
  getErrorCode,
  getOutcomeCode,
  listErrorLines,
  NotSignedInError,
  toErrorData,
  UsageError,
} from "../../packages/cli/src/exit.ts";
import { parseRepository } from "../../packages/cli/src/git/folder.ts";
import { findHint } from "../../packages/cli/src/print/hint.ts";
import { formatTable, toLine, toStyled } from "../../packages/cli/src/print/text.ts";
import { createTurnPrinter } from "../../packages/cli/src/print/turn.ts";
import { createTypedParser } from "../../packages/cli/src/typed.ts";

it.each([
  ["a\u001b[2Jb", "a␛[2Jb"],
  ["bell\u0007, \u007f", "bell␇, ␡"],
  ["\r\nnext\ttab", "␍\nnext\ttab"],
  ["\u009b31m", "\ufffd31m"],
  ["safe\u202egnp.exe", "safe\ufffdgnp.exe"],
  ["\u061cmark\u2066s\u200f", "\ufffdmark\ufffds\ufffd"],
  ["שלום, خروج", "שלום, خروج"],
  ["Grüße, 日本", "Grüße, 日本"],
])("%j is shown as %j", (text, shown) => expect(toVisible(text)).toBe(shown));

test("a title is one line, and the last column of a table is as long as it is", () => {
  expect(toLine("one\n\ntwo\tthree")).toBe("one two three");
  expect(
    formatTable([
      ["a", "bbb", "c"],
      ["aa", "b", "long title"],
    ]),
  ).toEqual(["a   bbb  c", "aa  b    long title"]);
  expect(formatTable([])).toEqual([]);
});

describe("a styled text", () => {
  const names = ["CI", "NO_COLOR", "FORCE_COLOR", "TERM"];
  const terminal = { isTTY: true };

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each<[string, Record<string, string>, { isTTY?: boolean }, string]>([
    ["has its style in a terminal", {}, terminal, "\u001b[1mx\u001b[22m"],
    ["has its style in a terminal of a CI run", { CI: "1" }, terminal, "\u001b[1mx\u001b[22m"],
    ["has none in the log of a CI run", { CI: "1" }, {}, "x"],
    ["has none in a terminal with NO_COLOR", { NO_COLOR: "1" }, terminal, "x"],
    ["has none in a terminal that is dumb", { TERM: "dumb" }, terminal, "x"],
    ["has its style in a file with FORCE_COLOR", { FORCE_COLOR: "1" }, {}, "\u001b[1mx\u001b[22m"],
    ["has none with NO_COLOR and FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal, "x"],
  ])("%s", (_, env, stream, styled) => {
    for (const name of names) vi.stubEnv(name, env[name]);
    expect(toStyled("bold", "x", stream)).toBe(styled);
  });
});

it.each([
  ["switchyard.example.com", "https://switchyard.example.com"],
  ["https://switchyard.example.com/account?x", "https://switchyard.example.com"],
  ["http://localhost:8787/", "http://localhost:8787"],
  ["http://127.0.0.1:1", "http://127.0.0.1:1"],
  ["localhost:8787", "http://localhost:8787"],
])("the service %s is %s", (text, url) => expect(toUrl(text)).toBe(url));

it.each(["http://switchyard.example.com", "ftp://host", "https://"])("%s is refused as a service", (text) => {
  expect(() => toUrl(text)).toThrow(UsageError);
});

it.each([
  ["90s", 90_000],
  ["20m", 1_200_000],
  ["1.5h", 5_400_000],
  ["45", 45_000],
])("the time %s has %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));
it.each(["", "20 m", "-5s", "1d", "m"])("%j is no time", (text) =>
  expect(() => parseDuration(text)).toThrow(UsageError),
);

describe("the time since when", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  test.each([
    ["2026-11-24", "2026-11-24T00:00:00.000Z"],
    ["2026-11-24T09:30", "2026-11-24T09:30:00.000Z"],
    ["2026-11-24T09:30:15Z", "2026-11-24T09:30:15.000Z"],
    ["2026-11-24T09:30:15+02:00", "2026-11-24T07:30:15.000Z"],
    ["24h", "2026-11-29T12:00:00.000Z"],
    ["7d", "2026-11-23T12:00:00.000Z"],
  ])("%s is read as %s", (text, since) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-30T12:00:00Z") });
    expect(parseSince(text)).toBe(since);
  });
  it.each(["", "yesterday", "Nov 24", "2026-13-01", "3w", "24"])("%j is refused", (text) =>
    expect(() => parseSince(text)).toThrow(UsageError),
  );
});

it.each([
  ["git@github.com:acme/departures.git", "acme/departures"],
  ["https://github.com/acme/departures", "acme/departures"],
  ["ssh://git@host:22/acme/my.app.git/", "acme/my.app"],
  ["departures.git", null],
])("the remote %s is of %s", (remote, repository) => {
  expect(parseRepository(remote)).toBe(repository);
});

describe("an exit code", () => {
  const refusal = (status: number) =>
    new SwitchyardError("No.", {
      failure: { code: "VALIDATION_ERROR", details: [{ path: "title", message: "is missing" }] },
      ...{ status, requestId: "r1", retryAfterMs: null, operation: "GET /api/models" },
    });

  it.each([
    [new UsageError("x"), 2],
    [new NotSignedInError("x"), 77],
    [new RangeError("There is no session x."), 1],
    [new GaveUpError("x", null), 124],
    [new ConnectionError("GET /", false, new Error("x")), 1],
    [refusal(400), 1],
    [refusal(401), 77],
    [refusal(403), 77],
    [refusal(402), 5],
    [refusal(500), 1],
  ])("of %s is %d", (error, code) => expect(getErrorCode(error)).toBe(code));

  it.each([
    ["completed", 0],
    ["failed", 3],
    ["asks", 4],
    ["limit", 5],
    ["stopped", 6],
  ] as const)("of a turn that ends as %s is %d", (outcome, code) => expect(getOutcomeCode(outcome)).toBe(code));

  it("comes with what was wrong, for people and for scripts", () => {
    expect(listErrorLines(refusal(400))).toEqual(["No.", "  title is missing", "Request id: r1"]);
    expect(listErrorLines(refusal(500)).at(-1)).toBe("Request id: r1");
    expect(listErrorLines(new ConnectionError("POST /", true, new Error("cut"))).join(" ")).toMatch(
      /may have been made.* → sy doctor$/,
    );
    const refusedThere = new Error("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") });
    expect(new ConnectionError("GET /", false, refusedThere).message).toBe(
      "GET / got no response: connect ECONNREFUSED 127.0.0.1:1",
    );
    expect(toErrorData(refusal(400))).toEqual({
      ...{ error: "No.", code: "VALIDATION_ERROR", status: 400, requestId: "r1", exitCode: 1 },
      details: [{ path: "title", message: "is missing" }],
    });
  });
});

const ofSession = "/api/projects/{projectId}/chat-sessions/{sessionId}";
const readLog = "GET /api/projects/{projectId}/preview/services/{serviceName}/log";
const inBacklog = "This session is in the Backlog. Activate it first, then send.";

it.each<[hint: string | null, ErrorCode, operation: string, message?: string, requestId?: string | null]>([
  ["→ sy queue ls ID", "QUEUE_FULL", `POST ${ofSession}/jobs/chat`],
  [null, "INTERNAL_ERROR", "GET /api/models"],
  ["→ sy ls", "NOT_FOUND", "GET /api/chat-sessions/{sessionId}"],
  ["→ sy projects", "NOT_FOUND", "POST /api/projects/{projectId}/chat-sessions"],
  ["→ sy diff ID --stat", "NOT_FOUND", `GET ${ofSession}/preview/diff`],
  ["→ sy pr ID", "NOT_FOUND", `GET ${ofSession}/pull-request`],
  ["→ sy preview ID", "NOT_FOUND", readLog],
  [null, "NOT_FOUND", "DELETE /api/user/api-keys/{keyId}"],
  ["→ sy start ID", "BAD_REQUEST", `POST ${ofSession}/jobs/chat`, inBacklog],
  [null, "BAD_REQUEST", `POST ${ofSession}/jobs/chat`],
  [null, "SERVICE_UNAVAILABLE", readLog],
  ["→ sy doctor", "SERVICE_UNAVAILABLE", readLog, "Bad gateway", null],
])("%j helps after %s of %s", (hint, code, operation, message = "No.", requestId = "r1") => {
  expect(findHint({ failure: { code }, operation, message, requestId })).toBe(hint);
});

test("a turn is printed once, also when events come again after a cut connection", () => {
  let printed = "";
  const print = createTurnPrinter((text) => {
    printed += text;
  }, "sy answer 9c1e42");
  const base = { jobId: "j", messageId: "m" };
  const options = [{ title: "Red", description: "", isRecommended: false }];
  const question = {
    type: "clarification",
    clarificationData: { questions: [{ topic: "Colour", question: "Which?", options }] },
  };
  const tool = (status: string) => ({ type: "tool", title: "npm test", status }) as never;
  const block = (index: number, one: unknown, role = "assistant") =>
    ({ id: "1", type: "block", data: { ...base, index, role, block: one } }) as never;
  const delta = (at: number, text: string) =>
    ({ id: "2", type: "delta", data: { ...base, index: 0, delta: text, at } }) as never;
  const events = [
    {
      id: "0",
      type: "block",
      data: { ...base, messageId: "u", index: 0, role: "user", block: { type: "text", content: "Go." } },
    } as never,
    block(0, { type: "text", content: "So" }),
    delta(2, "rted"),
    delta(2, "rted"),
    delta(6, ".\u001b"),
    block(1, tool("running")),
    block(1, tool("running")),
    block(1, tool("failed")),
    block(2, question),
    block(2, question),
    block(0, { type: "text", content: "Sorted.\u001b" }),
    { id: "9", type: "job", data: { job: { jobNumber: 3, status: "completed", completedAt: "now" } } } as never,
  ];
  for (const event of events) print(event);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles of the output.
  expect(printed.replace(/\u001b\[\d+m/g, "")).toBe(
    "> Go.\nSorted.␛\n▸ npm test\n✗ npm test\nWhich?\n  0  Red\n→ sy answer 9c1e42 0\nturn 3 is done\n",
  );
});

test("the output of a running tool is printed once, as it comes", () => {
  let printed = "";
  const print = createTurnPrinter((text) => {
    printed += text;
  });
  const base = { jobId: "j", messageId: "m", index: 1 };
  const output = (at: number, text: string) => ({ id: "2", type: "output", data: { ...base, at, text } }) as never;
  const tool = (status: string) =>
    ({
      id: "1",
      type: "block",
      data: { ...base, role: "assistant", block: { type: "tool", title: "npm test", status } },
    }) as never;
  const events = [
    tool("running"),
    output(4, "one\n"),
    output(8, "tw"),
    output(4, "one\ntw"),
    output(10, "o\u001b"),
    output(20, "ten"),
  ];
  for (const event of [...events, tool("failed")]) print(event);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles of the output.
  expect(printed.replace(/\u001b\[\d+m/g, "")).toBe("▸ npm test\none\ntwo␛\n…\nten\n✗ npm test\n");
});

it.each([
  ["answer", null],
  ["open", null],
  ["anwser", "There is no /anwser. Did you mean /answer? To send the text as it is, begin it with a space."],
  ["Stop", "There is no /Stop. Did you mean /stop? To send the text as it is, begin it with a space."],
  ["opne", "There is no /opne. Did you mean /open? To send the text as it is, begin it with a space."],
  ["etc", "There is no /etc. To send the text as it is, begin it with a space."],
  ["svc:open-pr", null],
  [
    "svc:opne-pr",
    "There is no /svc:opne-pr. Did you mean /svc:open-pr? To send the text as it is, begin it with a space.",
  ],
])("in a conversation with the skill open, /%s is explained with %j", (name, problem) => {
  expect(explainUnknownCommand(name, ["open", "svc:open-pr"])).toBe(problem);
});

it.each([
  ["/answer 0 1", { name: "answer", rest: "0 1" }],
  ["/opne-pr", { name: "opne-pr", rest: "" }],
  ["/svc:open-pr -d Text.", { name: "svc:open-pr", rest: "-d Text." }],
  ["/base64 it", { name: "base64", rest: "it" }],
  ["/etc/hosts is wrong", null],
  [" /etc is a folder", null],
  ["/ and then", null],
  ["Look at /etc", null],
])("%j is read as %j", (text, read) => expect(parseCommand(text)).toEqual(read));

test("Enter ends what is sent, and ^S what is steered, in whatever pieces they come", () => {
  const parse = createTypedParser();
  expect(parse("Go on")).toEqual([]);
  expect(parse(".\nFas")).toEqual([{ text: "Go on.", end: "enter" }]);
  expect(parse(" /etc \n")).toEqual([{ text: "Fas /etc", end: "enter" }]);
  expect(parse(" /etc \n")).toEqual([{ text: " /etc", end: "enter" }]);
  expect(parse("Faster!\u0013\n")).toEqual([
    { text: "Faster!", end: "steer" },
    { text: "", end: "enter" },
  ]);
});

it.each([
  ["the same version", "5.0.0", "5.0.0", true, null],
  [
    "a version before its release",
    "5.0.0-dev",
    "5.0.0",
    true,
    "sy 5.0.0-dev is old: http://x serves sy 5.0.0. → sy update",
  ],
  ["an older version, newly seen", "5.9.0", "5.10.0", true, "sy 5.9.0 is old: http://x serves sy 5.10.0. → sy update"],
  ["an older version, seen today", "5.9.0", "5.10.0", false, null],
  ["a newer version", "5.10.0", "5.9.9", true, null],
  [
    "another first number",
    "6.0.0",
    "5.0.0",
    false,
    "sy 6.0.0 is not made for http://x, which serves sy 5.0.0. → sy update",
  ],
  ["a version of another form", "5.0.0", "main", true, null],
])("of %s, a person reads what it needs", (_, own, served, isNew, note) => {
  expect(formatAge("http://x", own, served, isNew)).toBe(note);
});
