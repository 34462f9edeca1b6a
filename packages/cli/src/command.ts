// What commands have in common: the client, the output for people and for scripts, and what is read
// from arguments, files and stdin.
import { readFile } from "node:fs/promises";
import { Switchyard } from "@switchyard/client";
import { startAgeCheck } from "./age.ts";
import { findHost } from "./config.ts";
import { UsageError } from "./exit.ts";
import { toLine, toStyled } from "./print/text.ts";
import { fetchTraced } from "./trace.ts";
import { version } from "./version.ts";

export interface Output {
  /** True if scripts read the output. */
  isJson: boolean;
  /** Prints an answer: the data of the API for scripts, lines for people. */
  answer(data: unknown, lines: readonly string[]): void;
  /** Prints a line about what happens, on stderr, for people. */
  note(line: string): void;
}

/** Creates the output of a call. */
export function createOutput(isJson: boolean): Output {
  const note = (line: string) => {
    if (!isJson) process.stderr.write(`${line}\n`);
  };
  return {
    isJson,
    answer(data, lines) {
      if (isJson) process.stdout.write(`${JSON.stringify(data)}\n`);
      else for (const line of lines) process.stdout.write(`${line}\n`);
      if (Array.isArray(data) && data.length === 0) note(toStyled("dim", "Nothing to show.", process.stderr));
    },
    note,
  };
}

/** The client of the service that this call is for. */
export async function openClient(): Promise<Switchyard> {
  const { url, apiKey } = await findHost();
  startAgeCheck(url);
  return new Switchyard({ baseUrl: url, apiKey, fetch: fetchTraced, client: `cli/${version}` });
}

/** A text that was given: the argument, a file, or stdin for `-`. */
export async function readText(given: string | undefined, what: string): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && process.stdin.isTTY) throw new UsageError(`Give ${what}, or \`-\` to read it from stdin.`);
  const text = (await readStdin()).toString("utf8").trim();
  if (text === "") throw new UsageError(`Stdin was empty. Give ${what}.`);
  return text;
}

/** All that stdin has. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The text of a file, or of stdin for `-`. */
export async function readTextFile(path: string, what: string): Promise<string> {
  if (path === "-") return await readText(path, what);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read.`);
  return text;
}

/** The JSON object in a file, or on stdin for `-`. */
export async function readJsonFile(path: string, what: string): Promise<Record<string, unknown>> {
  const text = await readTextFile(path, what);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The same as a value that is no object.
  }
  throw new UsageError(`${path} is no JSON object.`);
}

/** A key and its value, given as `key=value`. */
export function parsePair(text: string): [key: string, value: string] {
  const end = text.indexOf("=");
  if (end < 1) throw new UsageError(`${text} is no key with a value. Write it as key=value.`);
  return [text.slice(0, end), text.slice(end + 1)];
}

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A time such as `90s`, `20m` or `2h`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(text) ?? [];
  const ms = Number(amount) * (unitsMs[unit] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw new UsageError(`${text} is no time. Write it as 90s, 20m or 2h.`);
  return ms;
}

const spanMs: Record<string, number> = { h: 3_600_000, d: 86_400_000 };

/** When something starts, in UTC: a date, a time, or a span back such as `24h` or `7d`. */
export function parseSince(text: string): string {
  const [, count, unit = ""] = /^(\d{1,6})([hd])$/.exec(text) ?? [];
  const [isTime, time, zone] = /^\d{4}-\d\d-\d\d(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  // JavaScript would read a time without a zone in that of the machine. The service reads UTC.
  const read = Date.parse(time && !zone ? `${text}Z` : isTime ? text : "");
  const at = count === undefined ? read : Date.now() - Number(count) * (spanMs[unit] ?? Number.NaN);
  if (Number.isNaN(at))
    throw new UsageError(`${text} is no time. Write it as 2026-11-24, 2026-11-24T09:00:00Z, 24h or 7d.`);
  return new Date(at).toISOString();
}

/** Answers to questions: the number of an option, `1=0` for question 1, or words. */
export function parseChoices(choices: readonly string[]): { answers: Choice[]; text: string } {
  const chosen = choices.map((choice) => /^(?:(\d+)=)?(\d+)$/.exec(choice));
  return {
    answers: chosen.flatMap((match) => (match ? [{ question: Number(match[1] ?? 0), option: Number(match[2]) }] : [])),
    text: choices.filter((_, at) => chosen[at] === null).join(" "),
  };
}

interface Choice {
  question: number;
  option: number;
}

/** A number of things, from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new UsageError(`${text} is no number of things.`);
  return count;
}

/** What a text in JSON says. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${toLine(text.slice(0, 80))} is not JSON.`);
  }
}
