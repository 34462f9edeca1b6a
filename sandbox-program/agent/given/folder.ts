// The folders of what a turn was given: saved skills and plugins. Each is next to the checkout and
// named by the hash of its files. A turn starts with exactly what it was given: what is missing or
// altered is fetched, and what is not listed is deleted.
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fetchFromService } from "../../http/service-fetch.ts";

export interface GivenFile {
  path: string;
  isExecutable: boolean;
  bytes: Uint8Array;
}

/** Something that a turn was given. GET `url` with the turn token returns its files. */
export interface Given {
  hash: string;
  url: string;
}

/** A format in which files are sent, with its limits. */
export interface GivenForm {
  answerBytesMax: number;
  fileCount: number;
  fileBytes: number;
  /** Parses the files of a response. Throws if there are none, or if a path is invalid. */
  filesIn(answer: Uint8Array): GivenFile[] | Promise<GivenFile[]>;
  hashGivenFiles(files: readonly GivenFile[]): string;
}

/** The outcome for one given item: its folder with its files, or why it is unavailable. */
export type Had = { folder: string; files: GivenFile[] } | { error: string };

export interface Fetching {
  token: string;
  signal: AbortSignal;
}

const atOnce = 8;
const attempts = 2;
const attemptTimeoutMs = 30_000;

/** Updates a folder to what the turn was given. Returns each item by its hash. Never throws. */
export async function updateFolders(
  place: string,
  given: readonly Given[],
  form: GivenForm,
  fetching: Fetching,
): Promise<Map<string, Had>> {
  const had = new Map<string, Had>();
  const found = await lstat(place).catch(() => null);
  if (given.length === 0 && found === null) return had;
  // The agent can write next to its checkout, so a link is never followed.
  if (found?.isDirectory() !== true) await rm(place, { recursive: true, force: true }).catch(() => {});
  await deleteOthers(place, new Set(given.map(({ hash }) => hash)));
  const left = [...new Map(given.map((one) => [one.hash, one])).values()];
  const takeNext = async (): Promise<void> => {
    for (let one = left.shift(); one; one = left.shift()) had.set(one.hash, await take(place, one, form, fetching));
  };
  await Promise.all(Array.from({ length: atOnce }, takeNext));
  return had;
}

async function deleteOthers(place: string, listed: ReadonlySet<string>): Promise<void> {
  const names = await readdir(place).catch(() => []);
  const others = names.filter((name) => !listed.has(name));
  await Promise.all(others.map((name) => rm(join(place, name), { recursive: true, force: true }).catch(() => {})));
}

async function take(place: string, given: Given, form: GivenForm, fetching: Fetching): Promise<Had> {
  const folder = join(place, given.hash);
  try {
    const there = await readFiles(folder, form).catch(() => null);
    if (there !== null && form.hashGivenFiles(there) === given.hash) return { folder, files: there };
    const files = await fetchFiles(given, form, fetching);
    await writeFiles(folder, files);
    return { folder, files };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function writeFiles(folder: string, files: readonly GivenFile[]): Promise<void> {
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  for (const { path, isExecutable, bytes } of files) {
    const at = join(unfinished, path);
    await mkdir(dirname(at), { recursive: true, mode: 0o700 });
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, isExecutable ? 0o700 : 0o600);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
}

async function fetchFiles(given: Given, form: GivenForm, { token, signal }: Fetching): Promise<GivenFile[]> {
  let reason = "the turn was stopped.";
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
    try {
      const files = await form.filesIn(await fetchBytes(given.url, form, { token, signal }));
      if (form.hashGivenFiles(files) === given.hash) return files;
      reason = "its files are not those that the turn was given.";
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw new Error(reason);
}

async function fetchBytes(
  url: string,
  { answerBytesMax }: GivenForm,
  { token, signal }: Fetching,
): Promise<Uint8Array> {
  const answer = await fetchFromService(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
  });
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`the service answered ${answer.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error("its files are too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the files of a folder back. Throws if it contains anything else. */
async function readFiles(folder: string, form: GivenForm, within = ""): Promise<GivenFile[]> {
  const files: GivenFile[] = [];
  if (within === "" && !(await lstat(folder)).isDirectory()) throw new Error("is no folder");
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = within === "" ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await readFiles(folder, form, path)));
    else files.push({ path, ...(await readOne(join(folder, path), form)) });
    if (files.length > form.fileCount) throw new Error("more files than there may be");
  }
  return files;
}

async function readOne(path: string, { fileBytes }: GivenForm): Promise<Pick<GivenFile, "isExecutable" | "bytes">> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    const mode = found.mode & 0o777;
    if (!found.isFile() || found.size > fileBytes || (mode !== 0o600 && mode !== 0o700))
      throw new Error("no such file");
    return { isExecutable: mode === 0o700, bytes: await file.readFile() };
  } finally {
    await file.close();
  }
}
