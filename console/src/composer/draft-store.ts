// Drafts in the browser's database, so that a killed tab loses nothing. Without a database (some
// private windows have none) drafts live as long as the page.
import type { Draft, Outgoing } from "./draft.ts";

/** Drafts that were saved by an older console have no elements. */
type Texts = Pick<Draft, "text" | "picks" | "edit" | "page"> & Partial<Pick<Draft, "elements">>;
export type SavedDraft = Texts & Pick<Draft, "files" | "outgoing">;
type Row = Omit<Outgoing, "error"> & { chat: string };

const stores = { texts: "texts", files: "files", outgoing: "outgoing" } as const;

let opened: Promise<IDBDatabase | null> | null = null;

function openDatabase(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    try {
      const opening = indexedDB.open("switchyard-drafts", 1);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore(stores.texts);
        opening.result.createObjectStore(stores.files);
        opening.result.createObjectStore(stores.outgoing, { keyPath: "key" }).createIndex("chat", "chat");
      };
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opened;
}

function wait<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Reads the draft of a chat; null where there is none. */
export async function readDraft(chat: string): Promise<SavedDraft | null> {
  const database = await openDatabase();
  if (!database) return null;
  const reading = database.transaction(Object.values(stores));
  const [texts, files, rows] = await Promise.all([
    wait<Texts | undefined>(reading.objectStore(stores.texts).get(chat)),
    wait<File[] | undefined>(reading.objectStore(stores.files).get(chat)),
    wait<Row[]>(reading.objectStore(stores.outgoing).index("chat").getAll(chat)),
  ]);
  const outgoing = rows.sort((one, other) => one.at - other.at).map(({ chat: _, ...row }) => row);
  return { ...(texts ?? { text: "", picks: null, edit: null, page: null }), files: files ?? [], outgoing };
}

/** Saves what changed between two states of a draft, in one transaction. */
export async function saveDraft(
  chat: string,
  before: SavedDraft,
  { text, picks, edit, page = null, elements = [], files, outgoing }: SavedDraft,
) {
  const database = await openDatabase();
  if (!database) return;
  const writing = database.transaction(Object.values(stores), "readwrite", { durability: "strict" });
  const ended = new Promise<void>((resolve, reject) => {
    writing.oncomplete = () => resolve();
    writing.onabort = () => reject(writing.error);
  });
  const isEmpty = text === "" && picks === null && edit === null && page === null && elements.length === 0;
  if (isEmpty) writing.objectStore(stores.texts).delete(chat);
  else writing.objectStore(stores.texts).put({ text, picks, edit, page, elements } satisfies Texts, chat);
  if (files.length === 0) writing.objectStore(stores.files).delete(chat);
  else if (files !== before.files) writing.objectStore(stores.files).put([...files], chat);
  const rows = writing.objectStore(stores.outgoing);
  for (const { key } of before.outgoing) if (!outgoing.some((one) => one.key === key)) rows.delete(key);
  for (const { error: _, ...message } of outgoing)
    if (before.outgoing.find(({ key }) => key === message.key)?.state !== message.state)
      rows.put({ ...message, chat } satisfies Row);
  await ended;
}

/** How many chats have a draft in this browser. */
export async function countDrafts(): Promise<number> {
  const database = await openDatabase();
  if (!database) return 0;
  const reading = database.transaction(Object.values(stores));
  const keys = await Promise.all([
    wait(reading.objectStore(stores.texts).getAllKeys()),
    wait(reading.objectStore(stores.files).getAllKeys()),
    wait<Row[]>(reading.objectStore(stores.outgoing).getAll()).then((rows) => rows.map(({ chat }) => chat)),
  ]);
  return new Set(keys.flat()).size;
}

/** Deletes all drafts of this browser. */
export async function clearDrafts(): Promise<void> {
  const database = await openDatabase();
  if (!database) return;
  const writing = database.transaction(Object.values(stores), "readwrite");
  await Promise.all(Object.values(stores).map((name) => wait(writing.objectStore(name).clear())));
}
