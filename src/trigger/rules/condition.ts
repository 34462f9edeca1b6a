// The conditions of a trigger on the body of a call. Anybody with the key may choose the body, so a
// condition selects calls and gives no right.
import { triggerRequestLevels } from "../../rules/limits.ts";

export type Scalar = string | number | boolean | null;

/** A condition: what is at a dotted path of a body. It has one of the tests. */
export interface Condition {
  path: string;
  /** It is this value. */
  is?: Scalar | undefined;
  /** It is one of these values. */
  in?: Scalar[] | undefined;
  /** It is a text with this part, or a list with this value. */
  has?: Scalar | undefined;
  /** Something is there, also null; or nothing is. */
  exists?: boolean | undefined;
}

const conditionTests = ["is", "in", "has", "exists"] as const;

/** Why a condition cannot be tested; null if it can. */
export function findConditionMistake(condition: Condition): string | null {
  if (condition.path.split(".").length > triggerRequestLevels)
    return `has a path of over ${triggerRequestLevels} names`;
  const given = conditionTests.filter((test) => condition[test] !== undefined);
  return given.length === 1 ? null : "has to have one of is, in, has and exists";
}

/** The value at a dotted path of a body; undefined if nothing is there. */
export function findAt(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    // Besides its indices, a list has only this, which is not in the body.
    if (Array.isArray(value) && name === "length") return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** True for a body that meets a condition. The time is linear in its size. */
export function isMet(body: unknown, { path, is, in: values, has, exists }: Condition): boolean {
  const value = findAt(body, path);
  if (exists !== undefined) return (value !== undefined) === exists;
  if (is !== undefined) return value === is;
  if (values !== undefined) return values.some((one) => value === one);
  if (Array.isArray(value)) return value.includes(has);
  return typeof value === "string" && typeof has === "string" && value.includes(has);
}
