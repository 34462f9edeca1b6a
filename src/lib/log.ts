// The log of the service: each line is one JSON object with a level, an event and its fields, which
// Workers Logs indexes. `docs/reference/log-events.md` explains every event. A field is an id, a
// count or a reason, never a secret, a prompt or an address of a person.
import { AsyncLocalStorage } from "node:async_hooks";
import { getErrorMessage } from "./error-text.ts";

type Level = "debug" | "info" | "warn" | "error";
type FieldValue = string | number | boolean | null | undefined;

/** `error` takes whatever was thrown, or a reason. It is written as its reason. */
type Fields<Given> = { [Name in keyof Given]: Name extends "error" ? unknown : FieldValue };

/** Writes an event, which is named `noun.what_happened`. */
type Write = <Given extends Fields<Given>>(event: string, fields?: Given) => void;

/** Longer texts are cut. The longest is the stack trace of a failed request. */
const fieldCharacters = 8_000;

/** What is true of everything that is logged while a request is handled. */
const current = new AsyncLocalStorage<{ requestId?: string; client?: string }>();

/** The form of a client's name and version, such as `cli/5.0.0`. */
const clientPattern = /^[\w.@/-]{1,60}$/;

/**
 * Handles a request, or work that it left for later. The log lines have this id, and the client's
 * name and version; with null, for work that no request caused, they have none.
 */
export function withRequestId<Result>(
  requestId: string | null,
  handle: () => Result,
  client: string | null = null,
): Result {
  const named = client !== null && clientPattern.test(client) ? { client } : {};
  return current.run(requestId === null ? {} : { requestId, ...named }, handle);
}

/** The id of the request that is handled now; null if none is. */
export function findRequestId(): string | null {
  return current.getStore()?.requestId ?? null;
}

const writer =
  (level: Level): Write =>
  (event, fields) => {
    const named = Object.entries(fields ?? {}).map(([name, value]) => [name, fieldText(name, value)]);
    // The method keeps the level on the platform.
    console[level](JSON.stringify({ level, event, ...current.getStore(), ...Object.fromEntries(named) }));
  };

function fieldText(name: string, value: unknown): unknown {
  if (name === "error") return getErrorMessage(value);
  return typeof value === "string" ? value.slice(0, fieldCharacters) : value;
}

/**
 * An error is for an operator, because something is lost or stays broken. A warning repairs itself,
 * or was reported to the caller.
 */
export const log = {
  debug: writer("debug"),
  info: writer("info"),
  warn: writer("warn"),
  error: writer("error"),
};
