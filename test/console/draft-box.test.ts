// The draft of a session in several windows of one browser: each shows what was typed last, and
// none overwrites it with what it had read before.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DraftBox } from "../../console/src/composer/draft-box.ts";
import type { SavedDraft } from "../../console/src/composer/draft-store.ts";
import { until } from "../support/until.ts";

const path = { projectId: "p", sessionId: "s" };
/** The browser's database. */
let database = new Map<string, SavedDraft>();
/** Settles the reads that a test holds; null while reads are immediate. */
let held: (() => void)[] | null = null;

vi.mock("../../console/src/composer/draft-store.ts", () => ({
  async readDraft(chat: string) {
    const saved = database.get(chat) ?? null;
    if (held) await new Promise<void>((resolve) => held?.push(resolve));
    return saved;
  },
  async saveDraft(chat: string, _before: SavedDraft, draft: SavedDraft) {
    database.set(chat, draft);
  },
}));

beforeEach(() => {
  database = new Map();
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", { addEventListener: () => {} });
  vi.stubGlobal("location", { origin: "https://service.example" });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** A window: a module of its own, whose channel reaches the other windows. */
async function openWindow(): Promise<DraftBox> {
  vi.resetModules();
  const module = await import("../../console/src/composer/draft-box.ts");
  return new module.DraftBox("olive s", path);
}

const write = (box: DraftBox, text: string) => box.change((draft) => ({ ...draft, text }));
const expectText = (box: DraftBox, text: string) => until("the text", () => box.get().text === text);

test("a window shows what is typed in another one", async () => {
  const [left, right] = [await openWindow(), await openWindow()];
  write(left, "From the left.");
  await expectText(right, "From the left.");
  write(right, "And from the right.");
  await expectText(left, "And from the right.");
});

test("a window that has read the draft only does not save it over what another one saved since", async () => {
  const left = await openWindow();
  await until("the draft", () => left.get().isRead);
  held = [];
  const right = await openWindow();
  write(left, "From the left.");
  await left.save();
  for (const settle of held) settle();
  held = null;
  await until("the draft", () => right.get().isRead);
  await right.save();
  expect(database.get("olive s")?.text).toBe("From the left.");
  await expectText(right, "From the left.");
});

test("what was typed before the draft was read comes after it, and is saved", async () => {
  const left = await openWindow();
  write(left, "From the left.");
  await until("the draft", () => left.get().isRead);
  await left.save();
  held = [];
  const right = await openWindow();
  write(right, "Typed early.");
  for (const settle of held) settle();
  held = null;
  await expectText(right, "From the left.\n\nTyped early.");
  await expectText(left, "From the left.\n\nTyped early.");
});

test("of several saves, the newest is shown, in whichever order they are read", async () => {
  const [left, right] = [await openWindow(), await openWindow()];
  await until("the drafts", () => left.get().isRead && right.get().isRead);
  held = [];
  for (const text of ["One", "One two", "One two three"]) {
    write(left, text);
    await left.save();
  }
  const settling = setInterval(() => held?.pop()?.(), 5);
  await expectText(right, "One two three");
  clearInterval(settling);
  held = null;
});

test.each([
  ["an answer to a question", { answers: [{ question: 0, option: 1 }] }],
  ["a message", {}],
])("%s takes along the page that the person chose", async (_, fields) => {
  const box = await openWindow();
  await until("the draft", () => box.get().isRead);
  const page = { frontendName: "web", path: "settings" };
  box.change((draft) => ({ ...draft, page }));
  box.send(fields);
  const { outgoing, page: left } = box.get();
  expect([left, outgoing.map((one) => one.fields)]).toEqual([
    null,
    [{ ...fields, content: "", previewContext: { ...page, path: "/settings" } }],
  ]);
});
