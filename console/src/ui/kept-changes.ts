// The fields of a form that a person has changed and not saved, kept by the browser as a text.
import { clearSent, useKeptText } from "./kept-text.ts";

/** Says of each field of a form what it may contain. */
export type FieldChecks<Fields> = { readonly [Name in keyof Fields]-?: (value: unknown) => value is Fields[Name] };

export const isText = (value: unknown): value is string => typeof value === "string";
export const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The changes that a browser has kept and that differ from what is saved. */
export function parseChanges<Fields extends object>(
  kept: string,
  checks: FieldChecks<Fields>,
  saved: Fields,
): Partial<Fields> {
  let read: unknown;
  try {
    read = JSON.parse(kept);
  } catch {
    return {};
  }
  const changes: Partial<Fields> = {};
  if (typeof read !== "object" || read === null) return changes;
  for (const name in checks) {
    const value: unknown = Object.hasOwn(read, name) ? Reflect.get(read, name) : undefined;
    if (checks[name](value) && !isSame(value, saved[name])) changes[name] = value;
  }
  return changes;
}

export interface KeptChanges<Fields> {
  changes: Partial<Fields>;
  /** Takes further changes; an undefined field is as it is saved again. */
  change: (changed: { [Name in keyof Fields]?: Fields[Name] | undefined }) => void;
  /** Forgets these changes. What a person has typed since then stays. */
  forget: () => void;
}

/** What a person has changed and not saved, which this browser keeps under a name. */
export function useKeptChanges<Fields extends object>(
  keptAs: string,
  checks: FieldChecks<Fields>,
  saved: Fields,
): KeptChanges<Fields> {
  const [kept, keep] = useKeptText(keptAs);
  const changes = parseChanges(kept, checks, saved);
  return {
    changes,
    change(changed) {
      const next = JSON.stringify({ ...changes, ...changed });
      keep(isSame(parseChanges(next, checks, saved), {}) ? "" : next);
    },
    forget: () => keep(clearSent(kept)),
  };
}
