// The draft of one session while the page is open: it is saved while it is typed, and its messages
// are sent one after the other, also after the person has left the session's page.
import { useSyncExternalStore } from "react";
import { queryClient } from "../api.ts";
import { useUserId } from "../shell/profile.ts";
import { deliver, type SessionPath } from "./deliver.ts";
import {
  type Draft,
  emptyDraft,
  findNext,
  joinDrafts,
  joinTexts,
  type MessageFields,
  markMessage,
  type Outgoing,
  refuseMessage,
  repeatMessage,
  retryMessages,
  sendDraft,
  settleMessage,
  takeBack,
} from "./draft.ts";
import { readDraft, saveDraft } from "./draft-store.ts";
import { toPagePath } from "./page-path.ts";
import { isUnsure } from "./send-rules.ts";

/** What is typed is saved at most this often. */
const saveEveryMs = 120;
/** What has no answer is tried again after this long, also without a sign of the connection. */
const retryAfterMs = 15_000;

/** Notifies the other tabs and windows of each save. */
const saves = new BroadcastChannel("switchyard-drafts");

export class DraftBox {
  #draft = emptyDraft;
  #saved = emptyDraft;
  #listeners = new Set<() => void>();
  #saving: ReturnType<typeof setTimeout> | undefined;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;
  /** Reads of the database follow each other, so that the newest counts. */
  #reading: Promise<void>;
  readonly #chat: string;
  readonly path: SessionPath;

  constructor(chat: string, path: SessionPath) {
    this.#chat = chat;
    this.path = path;
    this.#reading = this.#read();
    addEventListener("pagehide", () => this.save());
    document.addEventListener("visibilitychange", () =>
      document.visibilityState === "visible" ? this.#readAgain() : this.save(),
    );
    saves.addEventListener("message", ({ data }) => data === chat && this.#readAgain());
    addEventListener("online", () => this.retry());
  }

  readonly get = (): Draft => this.#draft;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes the draft by one of its transitions, and saves it soon. */
  change(transition: (draft: Draft) => Draft): void {
    this.#draft = transition(this.#draft);
    for (const listener of this.#listeners) listener();
    // A wait that began again with each key would leave fast typing unsaved.
    this.#saving ??= setTimeout(() => this.save(), saveEveryMs);
  }

  /** Puts a text into the composer, after what is written there. */
  addText(text: string, notice: string | null = null): void {
    this.change((draft) => ({ ...draft, text: joinTexts(draft.text, text), notice }));
  }

  addFiles(files: readonly File[]): void {
    this.change((draft) => ({ ...draft, files: [...draft.files, ...files] }));
  }

  /** Sends what is in the composer. */
  send(fields: Omit<MessageFields, "content" | "previewContext">): void {
    const { text, files, picks, page, elements } = this.#draft;
    const previewContext = page && { ...page, path: toPagePath(page.path) };
    const at = Date.now();
    const message = {
      key: crypto.randomUUID(),
      at,
      fields: { ...fields, content: text.trim(), ...(previewContext && { previewContext }) },
      files,
      picks,
      elements,
    };
    this.change((draft) => sendDraft(draft, { ...message, state: navigator.onLine ? "sending" : "waiting" }));
    this.#sendNext();
  }

  /** Sends something else, and leaves the composer as it is. A key is one that was tried before. */
  sendApart(fields: MessageFields, { key = crypto.randomUUID(), lines }: Partial<Outgoing> = {}): void {
    const state = navigator.onLine ? "sending" : "waiting";
    const message: Outgoing = { key, at: Date.now(), fields, files: [], ...(lines && { lines }), state };
    this.change((draft) => ({ ...draft, outgoing: [...draft.outgoing, message] }));
    this.#sendNext();
  }

  /** Tries what has no answer again, under the same keys. */
  retry(): void {
    if (!this.#draft.outgoing.some(({ state }) => state === "waiting" || state === "unsure")) return;
    this.change((draft) => retryMessages(draft, Date.now()));
    this.#sendNext();
  }

  /** Sends a message again: an unsure one under its key, a refused one under a new one. */
  sendAgain(key: string): void {
    this.change((draft) => {
      const outgoing = draft.outgoing.map((one) =>
        one.key === key ? repeatMessage(one, crypto.randomUUID(), Date.now()) : one,
      );
      return { ...draft, outgoing };
    });
    this.#sendNext();
  }

  /** Puts a message back into the composer. It gets a new key when it is sent. */
  takeBack(key: string): void {
    const isOpen = this.#draft.outgoing.some((one) => one.key === key && one.state === "unsure");
    const notice = isOpen ? "It may have arrived already. If you send this too, both are there." : null;
    this.change((draft) => ({ ...takeBack(draft, key), notice }));
  }

  /** Saves what has changed. It returns when the database has it. */
  async save(): Promise<void> {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const draft = this.#draft;
    if (!draft.isRead || draft === this.#saved) return;
    const before = this.#saved;
    this.#saved = draft;
    await saveDraft(this.#chat, before, draft).then(
      () => saves.postMessage(this.#chat),
      () => {
        this.#saved = { ...before };
      },
    );
  }

  async #read(): Promise<void> {
    const saved = await readDraft(this.#chat).catch(() => null);
    const typed = this.#draft;
    const known = retryMessages({ ...emptyDraft, ...saved, isRead: true }, Date.now());
    this.#saved = known;
    // What is not changed is not saved: another window may be writing the same draft.
    this.change(() => (typed === emptyDraft ? known : joinDrafts(known, typed)));
    this.#sendNext();
  }

  /** Another tab or window has sent or changed the draft, or may have while this one was hidden. */
  #readAgain(): void {
    this.#reading = this.#reading.then(() => this.#takeSaved());
  }

  async #takeSaved(): Promise<void> {
    const known = this.#draft;
    if (known !== this.#saved) return;
    const saved = await readDraft(this.#chat).catch(() => known);
    if (this.#draft !== known) return;
    const { text, files, picks, edit, page, elements } = { ...emptyDraft, ...saved };
    this.#saved = { ...known, text, files, picks, edit, page, elements };
    this.change(() => this.#saved);
  }

  async #sendNext(): Promise<void> {
    if (this.#isSending || !this.#draft.isRead) return;
    const next = findNext(this.#draft, Date.now());
    if (!next) return;
    if (!navigator.onLine) return this.change((draft) => markMessage(draft, next.key, "waiting"));
    this.#isSending = true;
    this.change((draft) => markMessage(draft, next.key, "sending"));
    try {
      // The key is on the disk before the service sees it.
      await this.save();
      const answer = await deliver(this.path, next);
      const isLate = next.fields.steer === true && answer?.delivery === "queued";
      const words = answer?.notice ?? (isLate ? "The turn could not take it. It waits Up next." : null);
      this.change((draft) => settleMessage(draft, next.key, words));
      const queryKey = [answer ? "queue" : "comments", this.path.sessionId];
      queryClient.invalidateQueries({ queryKey });
    } catch (error) {
      const isOpen = isUnsure(error);
      this.change((draft) =>
        isOpen ? markMessage(draft, next.key, "unsure", error) : refuseMessage(draft, next.key, error),
      );
      clearTimeout(this.#retrying);
      if (isOpen) this.#retrying = setTimeout(() => this.retry(), retryAfterMs);
    }
    this.#isSending = false;
    await this.save();
    this.#sendNext();
  }
}

const boxes = new Map<string, DraftBox>();

/** The draft of a person in a session. */
function openDraft(userId: string, path: SessionPath): DraftBox {
  const chat = `${userId} ${path.sessionId}`;
  const box = boxes.get(chat) ?? new DraftBox(chat, path);
  boxes.set(chat, box);
  return box;
}

const noSubscription = () => () => {};
const getEmpty = () => emptyDraft;

/** The signed-in person's draft in a session; without a box while either is not known. */
export function useDraft(path: SessionPath | null): { draft: Draft; box: DraftBox | null } {
  const userId = useUserId();
  const box = userId && path ? openDraft(userId, path) : null;
  const draft = useSyncExternalStore(box?.subscribe ?? noSubscription, box?.get ?? getEmpty);
  return { draft, box };
}
