// The kept skills of a turn: those of the session's Assignee and its workspace. Each is a folder beside the checkout, named by the hash of its
// files. A turn begins with exactly the skills that it was given: what is missing or was altered is fetched, and what is not listed is removed.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { skillFileBytes, skillFileCount, skillTotalBytes } from "../../../src/rules/limits.ts";
import { skillContent } from "../../../src/rules/skill/kept-skill.ts";
import { readSkill, type SkillFile, skillFileName } from "../../../src/rules/skill/skill.ts";
import { pathMistake, type TextFile } from "../../../src/rules/skill/skill-files.ts";
import type { GivenSkill } from "../../../src/sandbox/protocol.ts";
import type { Folders } from "../../folders.ts";
import { fetchFromService } from "../../http/service-fetch.ts";

export interface GivenSkills {
  /** The skill of this name; null if the turn was given none. Throws a readable error if it was, and could not be had. */
  find(name: string): (SkillFile & { folder: string }) | null;
}

export const noSkills: GivenSkills = { find: () => null };

type Had = { skill: SkillFile & { folder: string } } | { error: string };

const atOnce = 8;
const attempts = 2;
const attemptTimeoutMs = 30_000;
/** JSON may write a character in six. */
const answerBytesMax = 6 * skillTotalBytes + skillFileCount * 8_192;

/** Brings the folder of skills to what the turn was given. Never throws: a skill that could not be had is an error where it is called. */
export async function takeSkills(
  { skills: place }: Pick<Folders, "skills">,
  given: readonly GivenSkill[],
  token: string,
  signal: AbortSignal,
): Promise<GivenSkills> {
  const had = new Map<string, Had>();
  const found = await lstat(place).catch(() => null);
  if (given.length === 0 && found === null) return noSkills;
  // The agent can write beside its checkout, so a link is never followed.
  if (found?.isDirectory() !== true) await rm(place, { recursive: true, force: true }).catch(() => {});
  await removeOthers(place, new Set(given.map(({ hash }) => hash)));
  const left = [...given];
  const takeNext = async (): Promise<void> => {
    for (let skill = left.shift(); skill; skill = left.shift())
      had.set(skill.name, await take(place, skill, token, signal));
  };
  await Promise.all(Array.from({ length: atOnce }, takeNext));
  return {
    find(name) {
      const one = had.get(name);
      if (one === undefined) return null;
      if ("error" in one) throw new Error(`The skill ${name} could not be had: ${one.error}`);
      return one.skill;
    },
  };
}

async function removeOthers(place: string, listed: ReadonlySet<string>): Promise<void> {
  const names = await readdir(place).catch(() => []);
  const others = names.filter((name) => !listed.has(name));
  await Promise.all(others.map((name) => rm(join(place, name), { recursive: true, force: true }).catch(() => {})));
}

async function take(place: string, given: GivenSkill, token: string, signal: AbortSignal): Promise<Had> {
  const folder = join(place, given.hash);
  try {
    const there = await readFiles(folder).catch(() => null);
    const files =
      there !== null && hashOf(there) === given.hash ? there : await replaceFiles(folder, given, token, signal);
    const reading = readSkill(files.find(({ path }) => path === skillFileName)?.content ?? "");
    return "skill" in reading ? { skill: { ...reading.skill, folder } } : { error: `its ${skillFileName} is broken.` };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function replaceFiles(
  folder: string,
  given: GivenSkill,
  token: string,
  signal: AbortSignal,
): Promise<TextFile[]> {
  const files = await fetchFiles(given, token, signal);
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  for (const { path, content } of files) {
    const at = join(unfinished, path);
    await mkdir(dirname(at), { recursive: true, mode: 0o700 });
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, modeOf(content));
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
  }
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
  return files;
}

/** A script may be run. */
const modeOf = (content: string) => (content.startsWith("#!") ? 0o700 : 0o600);

async function fetchFiles(given: GivenSkill, token: string, signal: AbortSignal): Promise<TextFile[]> {
  let reason = "the turn was stopped.";
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
    try {
      const files = filesIn(await fetchText(given.url, token, signal));
      if (hashOf(files) === given.hash) return files;
      reason = "its files are not those that the turn was given.";
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw new Error(reason);
}

async function fetchText(url: string, token: string, signal: AbortSignal): Promise<string> {
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
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function filesIn(text: string): TextFile[] {
  const json: unknown = JSON.parse(text);
  if (!Array.isArray(json) || !json.every(isTextFile)) throw new Error("its files are not as expected.");
  return json;
}

function isTextFile(value: unknown): value is TextFile {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value)) return false;
  return typeof value.path === "string" && pathMistake(value.path) === null && typeof value.content === "string";
}

const hashOf = (files: readonly TextFile[]) => createHash("sha256").update(skillContent(files)).digest("base64url");

/** Reads the files of a skill back. Throws if something else lies among them. */
async function readFiles(folder: string, within = ""): Promise<TextFile[]> {
  const files: TextFile[] = [];
  if (within === "" && !(await lstat(folder)).isDirectory()) throw new Error("is no folder");
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = within === "" ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await readFiles(folder, path)));
    else files.push({ path, content: await readText(join(folder, path)) });
    if (files.length > skillFileCount) throw new Error("more files than a skill has");
  }
  return files;
}

async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > skillFileBytes) throw new Error("no file of a skill");
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.readFile());
    if ((found.mode & 0o777) !== modeOf(text)) throw new Error("another mode than a file of a skill");
    return text;
  } finally {
    await file.close();
  }
}
