// The files of a personal skill or a workspace's skill: which ones may be saved (Part 2, "Personal
// skill rules").
import {
  skillFileBytes,
  skillFileCount,
  skillPathBytes,
  skillPathPartBytes,
  skillTotalBytes,
} from "../../rules/limits.ts";
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";
import { readSkill, type SkillFile, skillFileName } from "./skill.ts";

export interface TextFile {
  /** Relative to the skill's folder. */
  path: string;
  content: string;
}

/** A mistake in a file. `field` is a field of the front matter. */
export interface FileMistake extends Mistake {
  file: string;
  field?: string;
}

/** Checks the files of a skill. Returns the parsed skill, or every mistake by file and field. */
export function checkSkillFiles(files: readonly TextFile[]): SkillFile | Refusal {
  if (files.length > skillFileCount)
    return wrong([{ path: "files", message: `are more than ${skillFileCount}: leave some out` }]);
  const mistakes: FileMistake[] = files.flatMap((file, index) => fileMistakes(file, index, files));
  const total = files.reduce((bytes, { content }) => bytes + utf8Length(content), 0);
  if (total > skillTotalBytes)
    return wrong([...mistakes, { path: "files", message: `are together longer than ${skillTotalBytes} bytes` }]);
  const main = files.findIndex(({ path }) => path === skillFileName);
  if (main < 0) return wrong([...mistakes, missingMain]);
  const reading = readSkill(files[main]?.content ?? "");
  if ("skill" in reading && mistakes.length === 0) return reading.skill;
  const ofMatter = ("mistakes" in reading ? reading.mistakes : []).map(({ field, message }) => ({
    ...{ path: `files.${main}.content`, file: skillFileName, field },
    message: `has a mistake in ${skillFileName}: its ${field} ${message}`,
  }));
  return wrong([...mistakes, ...ofMatter]);
}

const missingMain: FileMistake = {
  path: "files",
  file: skillFileName,
  message: `lack ${skillFileName} at the root of the skill`,
};

/** The first mistake is in the message, so there must be at least one. */
function wrong(mistakes: readonly (Mistake | FileMistake)[]): Refusal {
  const refusal = refuseMistakes(mistakes);
  if (refusal === null) throw new Error("files were refused without a mistake");
  return refusal;
}

function fileMistakes({ path, content }: TextFile, index: number, files: readonly TextFile[]): FileMistake[] {
  const inPath = findPathMistake(path) ?? placeMistake(path, index, files);
  const inContent = contentMistake(content);
  return [
    ...(inPath === null ? [] : [{ path: `files.${index}.path`, file: path, message: inPath }]),
    ...(inContent === null ? [] : [{ path: `files.${index}.content`, file: path, message: inContent }]),
  ];
}

/** What is wrong with a path; null if a sandbox can store a file there. */
export function findPathMistake(path: string): string | null {
  if (path === "") return "is empty";
  if (!path.isWellFormed()) return "holds half of a surrogate pair";
  if (/\p{Cc}/u.test(path)) return "holds a control character";
  if (path.includes("\\")) return "holds a backslash: part folders with /";
  if (path.startsWith("/")) return "is absolute: give it relative to the skill's folder";
  // A file system counts bytes.
  if (utf8Length(path) > skillPathBytes) return `must have at most ${skillPathBytes.toLocaleString("en-US")} bytes`;
  for (const part of path.split("/")) {
    if (part === "") return "has an empty part";
    if (part === "." || part === "..") return `has the part ${part}: give a plain path`;
    if (utf8Length(part) > skillPathPartBytes) return `has a part longer than ${skillPathPartBytes} bytes`;
  }
  return null;
}

/** A path may occur only once, and may not be a folder of another. */
function placeMistake(path: string, index: number, files: readonly TextFile[]): string | null {
  for (const [place, other] of files.entries()) {
    if (place < index && other.path === path) return "occurs twice";
    if (place !== index && other.path.startsWith(`${path}/`)) return `is the folder of ${other.path} and a file too`;
  }
  return null;
}

function contentMistake(content: string): string | null {
  if (content.includes("\0")) return "is not text: it holds a NUL character";
  if (!content.isWellFormed()) return "is not UTF-8 text: it holds half of a surrogate pair";
  return utf8Length(content) > skillFileBytes
    ? `must have at most ${skillFileBytes.toLocaleString("en-US")} bytes`
    : null;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
