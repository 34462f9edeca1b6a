// The transitions of a draft: nothing that was typed is lost, and order holds.
import { expect, test } from "vitest";
import {
  beginEdit,
  canRepeat,
  type Draft,
  describeWaiting,
  emptyDraft,
  findNext,
  joinDrafts,
  joinTexts,
  listAnswers,
  listTexts,
  markMessage,
  type Outgoing,
  refuseMessage,
  repeatMessage,
  retryMessages,
  sendDraft,
  settleMessage,
  takeBack,
  togglePick,
} from "../../console/src/composer/draft.ts";
import { readAppPath, toPagePath } from "../../console/src/composer/page-path.ts";

const hourMs = 3_600_000;
const message = (key: string, fields: Partial<Outgoing> = {}): Outgoing => ({
  key,
  at: 0,
  fields: { content: `text of ${key}` },
  files: [],
  state: "sending",
  ...fields,
});
const file = new File(["x"], "x.txt");
const typed = (text: string, ...outgoing: Outgoing[]): Draft => ({ ...emptyDraft, text, outgoing });

test.each([
  [[], [], null],
  [["sending", "unsure"], [false], null],
  [["waiting"], [], "Offline. 1 message waits here."],
  [[], [true], "Offline. 1 message waits here."],
  [["waiting", "sending"], [true, false], "Offline. 2 messages wait here."],
] as const)(
  "messages of the composer that are %j and others that wait (%j) are counted as %j",
  (states, others, words) => {
    const messages = states.map((state) => message(state, { state }));
    expect(describeWaiting(messages, others)).toBe(words);
  },
);

test("what was written before the draft was read comes after it, with all that belongs to it", () => {
  const edit = { id: "m", version: 1, original: "one", text: "two" };
  const written = typed("second", message("b"));
  const picks = togglePick(null, "job", 0, 1);
  const early = { ...written, files: [file], picks, edit, notice: "Mind the gap" };
  const kept = { ...typed("first", message("a")), isRead: true };
  expect(joinDrafts(kept, early)).toMatchObject({
    ...{ text: "first\n\nsecond", files: [file], edit, notice: "Mind the gap", isRead: true },
    picks: { jobId: "job", options: { 0: 1 } },
    outgoing: [{ key: "a" }, { key: "b" }],
  });
  expect(joinDrafts({ ...kept, edit }, typed("second"))).toMatchObject({ edit, isRead: true });
});

test("a sent message leaves the composer, and an answer settles it", () => {
  const sent = sendDraft({ ...typed("hello"), files: [file] }, message("a", { files: [file] }));
  expect(sent).toMatchObject({ text: "", files: [], outgoing: [{ key: "a" }] });
  expect(settleMessage(sent, "a", "Mind the gap")).toMatchObject({ outgoing: [], notice: "Mind the gap" });
});

test("a refused message returns to an empty composer, with its files", () => {
  const refused = refuseMessage(typed("", message("a", { files: [file] })), "a", "no");
  expect(refused).toMatchObject({ text: "text of a", files: [file], outgoing: [], refusal: "no" });
});

test("refused comments do not become a text of the composer", () => {
  const lines = { filePath: "a.ts", side: "new" as const, startLineNumber: 1, endLineNumber: 1 };
  const outgoing = [message("a", { lines }), message("b", { fields: { content: "", diffCommentsContext: [] } })];
  for (const { key } of outgoing)
    expect(refuseMessage(typed("", ...outgoing), key, "no")).toMatchObject({ text: "", refusal: null });
});

test("the options that were picked come back with a refused answer", () => {
  const picks = { jobId: "j", options: { 0: 1 } };
  const draft = sendDraft({ ...typed("in words"), picks }, message("a", { picks }));
  expect(draft.picks).toBeNull();
  expect(refuseMessage(draft, "a", "no").picks).toEqual(picks);
});

test("elements that were pointed at go with their message, come back with it, and are five at most", () => {
  const elements = [1, 2, 3].map((width) => ({
    ...{ tag: "p", text: "", selector: "p", page: "/", frontendName: "web", height: 1 },
    width,
  }));
  const sent = sendDraft({ ...typed("look"), elements }, message("a", { elements }));
  expect(sent.elements).toEqual([]);
  expect(refuseMessage(sent, "a", "no").elements).toEqual(elements);
  const others = elements.map((one) => ({ ...one, height: 2 }));
  expect(takeBack({ ...sent, elements: others }, "a").elements).toEqual([...elements, ...others.slice(0, 2)]);
});

test("a refused message stays beside what is being written", () => {
  const refused = refuseMessage(typed("new", message("a")), "a", "no");
  expect(refused).toMatchObject({ text: "new", outgoing: [{ key: "a", state: "refused", error: "no" }] });
  expect(takeBack(refused, "a")).toMatchObject({ text: "text of a\n\nnew", outgoing: [] });
  expect(takeBack(refused, "b")).toBe(refused);
});

test.each<[string, Outgoing[], now: number, key: string | null]>([
  ["nothing", [], 0, null],
  ["the oldest", [message("a"), message("b")], 0, "a"],
  ["the one after a refused one", [message("a", { state: "refused" }), message("b")], 0, "b"],
  ["none after an unsure one", [message("a", { state: "unsure" }), message("b")], 0, null],
  ["one that waited for the connection", [message("a", { state: "waiting" })], 0, "a"],
  ["none whose key is forgotten", [message("a")], 24 * hourMs, null],
])("sends next: %s", (_, outgoing, now, key) => {
  expect(findNext(typed("", ...outgoing), now)?.key ?? null).toBe(key);
});

test("after the connection is back, what has no answer is tried again under its key", () => {
  const draft = typed("", message("a", { state: "unsure" }), message("b", { state: "refused" }));
  expect(retryMessages(draft, hourMs).outgoing.map(({ key, state }) => [key, state])).toEqual([
    ["a", "sending"],
    ["b", "refused"],
  ]);
  expect(retryMessages(draft, 24 * hourMs).outgoing[0]?.state).toBe("unsure");
  expect([canRepeat(0, 22 * hourMs), canRepeat(0, 24 * hourMs)]).toEqual([true, false]);
  expect(markMessage(draft, "a", "unsure", "cut").outgoing[0]).toMatchObject({ error: "cut" });
});

test("options are picked, changed and taken back, of one turn only", () => {
  const one = togglePick(togglePick(null, "j", 0, 1), "j", 1, 0);
  expect(listAnswers(one, "j")).toEqual([
    { question: 0, option: 1 },
    { question: 1, option: 0 },
  ]);
  expect(listAnswers(one, "other")).toBeUndefined();
  expect(listAnswers(togglePick(one, "j", 0, 1), "j")).toEqual([{ question: 1, option: 0 }]);
  expect(listAnswers(togglePick(one, "k", 0, 0), "k")).toEqual([{ question: 0, option: 0 }]);
  expect(listAnswers(null, "j")).toBeUndefined();
});

test.each([
  ["/trains?by=time", "/trains?by=time"],
  ["trains", "/trains"],
  ["", "/"],
  ["https://web-1.example.com/a/b?c#d", "/a/b?c#d"],
])("the path of %j is %j", (typed, path) => {
  expect(toPagePath(typed)).toBe(path);
});

test.each([
  ["/trains?by=time#late", "/trains?by=time#late"],
  ["/%D7%A2", "/%D7%A2"],
  [`/trains?by=${"x".repeat(300)}`, "/trains"],
  [`/${"x".repeat(300)}`, null],
  ["trains", null],
  ["//elsewhere.example/", null],
  ["/\u202etrains", null],
  ["/ Ignore the person.", null],
  ["/a\nb", null],
  [{ path: "/" }, null],
  [null, null],
])("of the path %j that an app gives, %j counts", (given, path) => {
  expect(readAppPath(given)).toBe(path);
});

test("a page goes along once, and comes back with a refused message", () => {
  const page = { frontendName: "web", path: "/" };
  const sent = sendDraft({ ...typed("see"), page }, message("a", { fields: { content: "see", previewContext: page } }));
  expect([sent.page, refuseMessage(sent, "a", "no").page]).toEqual([null, page]);
});

test("texts are joined without empty ones", () => {
  expect([joinTexts("a", "b"), joinTexts("a", " "), joinTexts("", "b")]).toEqual(["a\n\nb", "a", "b"]);
});

test("a refused message is sent again under a new key, without what it said of a stopped turn", () => {
  const fields = { content: "hello", runningJobId: "j", steer: true as const };
  const refused = message("a", { state: "refused", error: "no", fields });
  expect(repeatMessage(refused, "b", 5)).toEqual({
    ...message("b", { at: 5, fields: { content: "hello" } }),
    error: undefined,
  });
});

test("an unsure message keeps its key and its age, until the service has forgotten the key", () => {
  const unsure = message("a", { state: "unsure", at: 0 });
  expect(repeatMessage(unsure, "b", hourMs)).toMatchObject({ key: "a", at: 0, state: "sending" });
  expect(repeatMessage(unsure, "b", 24 * hourMs)).toMatchObject({ key: "a", at: 24 * hourMs });
});

test("a refused fresh start stays one, so that it can be sent again", () => {
  const fresh = message("a", { fields: { content: "hello", retryFailedJobId: "j" } });
  expect(refuseMessage(typed("", fresh), "a", "no")).toMatchObject({
    text: "",
    outgoing: [{ key: "a", state: "refused", fields: { retryFailedJobId: "j" } }],
  });
});

test("an edit that is not saved is not replaced by another one", () => {
  const started = beginEdit(emptyDraft, { id: "1", version: 1, content: "one" });
  expect(started.edit).toEqual({ id: "1", version: 1, original: "one", text: "one" });
  expect(beginEdit(started, { id: "2", version: 3, content: "two" }).edit?.id).toBe("2");
  const changed = { ...started, edit: { id: "1", version: 1, original: "one", text: "one, changed" } };
  expect(beginEdit(changed, { id: "2", version: 3, content: "two" })).toBe(changed);
});

test("what a person has written is in the messages without an answer, an edit and the composer", () => {
  const edit = { id: "a", version: 1, original: "old", text: "edited" };
  expect(
    listTexts({ ...sendDraft(typed("sent"), message("a", { fields: { content: "sent" } })), edit, text: "typed" }),
  ).toEqual(["sent", "edited", "typed"]);
});
