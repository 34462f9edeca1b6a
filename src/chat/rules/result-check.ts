// Checks a result with its schema. The time is linear in the result: each schema looks at a value
// once, and a schema has few alternatives.
import { resultBytes } from "../../rules/limits.ts";
import type { Mistake } from "../../rules/refusal.ts";
import { getBytes, isObject, type JsonObject, type ResultSchema } from "./result-schema.ts";

/** Enough to fix a result in one attempt. */
const mistakesMax = 10;
const listedValues = 10;

export interface Checked {
  /** The fields that are wrong, at most 10. */
  mistakes: Mistake[];
  /** How often a schema looked at a value or a name. */
  steps: number;
}

/** Checks a result, which is not too deep. */
export function checkResult(schema: ResultSchema, result: JsonObject): Checked {
  if (getBytes(result) > resultBytes)
    return { mistakes: [{ path: "", message: `is too long: it has at most ${resultBytes} bytes of JSON` }], steps: 0 };
  const run: Run = { mistakes: [], max: mistakesMax, steps: 0, sets: new Map() };
  check(run, schema, result, "");
  return { mistakes: run.mistakes, steps: run.steps };
}

interface Run extends Checked {
  /** The check ends after so many mistakes. With 1, alternatives are not explained. */
  max: number;
  /** The values of each `enum`. */
  sets: Map<ResultSchema, Set<unknown>>;
}

const isFull = ({ mistakes, max }: Run) => mistakes.length >= max;

function check(run: Run, schema: ResultSchema, value: unknown, path: string): void {
  run.steps++;
  const wrong = findScalarMistake(run, schema, value);
  if (wrong !== null) run.mistakes.push({ path, message: wrong });
  if (isFull(run) || wrong !== null) return;
  if (Array.isArray(value)) checkItems(run, schema, value, path);
  else if (isObject(value)) checkFields(run, schema, value, path);
  for (const part of listOf(schema.allOf)) if (!isFull(run)) check(run, part, value, path);
  if (!isFull(run) && schema.anyOf) checkAlternatives(run, listOf(schema.anyOf), value, path, false);
  if (!isFull(run) && schema.oneOf) checkAlternatives(run, listOf(schema.oneOf), value, path, true);
}

function checkItems(run: Run, schema: ResultSchema, items: unknown[], path: string): void {
  if (!isObject(schema.items)) return;
  for (const [index, item] of items.entries()) {
    if (isFull(run)) return;
    check(run, schema.items, item, join(path, index));
  }
}

function checkFields(run: Run, schema: ResultSchema, fields: JsonObject, path: string): void {
  const { properties, propertyNames, additionalProperties: others = true } = schema;
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (isFull(run)) return;
    run.steps++;
    if (!Object.hasOwn(fields, name)) run.mistakes.push({ path: join(path, name), message: "is missing" });
  }
  for (const [name, value] of Object.entries(fields)) {
    if (isFull(run)) return;
    run.steps++;
    const at = join(path, name);
    if (isObject(propertyNames) && !matches(run, propertyNames, name))
      run.mistakes.push({ path: at, message: "has a name that the schema does not take" });
    const ofField = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : others;
    if (ofField === false) run.mistakes.push({ path: at, message: "is not a field of the schema" });
    else if (isObject(ofField)) check(run, ofField, value, at);
  }
}

function checkAlternatives(run: Run, all: ResultSchema[], value: unknown, path: string, isOne: boolean): void {
  let found = 0;
  for (const alternative of all) {
    if (matches(run, alternative, value)) found++;
    if (found > (isOne ? 1 : 0)) break;
  }
  if (found === 1) return;
  if (found > 1)
    return void run.mistakes.push({ path, message: "matches several of its alternatives, and must match one" });
  // The only alternative of its type says more than all of them together.
  const [near, ...others] = all.filter((alternative) => hasType(alternative, value));
  if (near && others.length === 0 && run.max > 1) check(run, near, value, path);
  else run.mistakes.push({ path, message: `matches none of its ${all.length} alternatives` });
}

/** Checks only whether the value matches. It ends at the first mistake. */
function matches(run: Run, schema: ResultSchema, value: unknown): boolean {
  const inner: Run = { mistakes: [], max: 1, steps: 0, sets: run.sets };
  check(inner, schema, value, "");
  run.steps += inner.steps;
  return inner.mistakes.length === 0;
}

/** What is wrong with a value besides what is in it; null for nothing. */
function findScalarMistake(run: Run, schema: ResultSchema, value: unknown): string | null {
  if (!hasType(schema, value)) return `must be ${listOfTexts(schema.type).map(toNoun).join(" or ")}`;
  if (Array.isArray(schema.enum) && !getSet(run, schema, schema.enum).has(value)) {
    const listed = schema.enum.slice(0, listedValues).map((one) => JSON.stringify(one));
    return `must be one of ${listed.join(", ")}${schema.enum.length > listedValues ? " or others" : ""}`;
  }
  if (Object.hasOwn(schema, "const") && schema.const !== value) return `must be ${JSON.stringify(schema.const)}`;
  if (typeof value === "number") return findNumberMistake(schema, value);
  if (typeof value === "string") return findLengthMistake(schema, "Length", countCharacters(value), "characters");
  if (Array.isArray(value)) return findLengthMistake(schema, "Items", value.length, "items");
  if (isObject(value)) return findLengthMistake(schema, "Properties", Object.keys(value).length, "fields");
  return null;
}

function getSet({ sets }: Run, schema: ResultSchema, values: unknown[]): Set<unknown> {
  const known = sets.get(schema) ?? new Set(values);
  sets.set(schema, known);
  return known;
}

function findLengthMistake(schema: ResultSchema, what: string, length: number, unit: string): string | null {
  const { [`min${what}`]: least, [`max${what}`]: most } = schema;
  if (typeof least === "number" && length < least) return `must have at least ${least} ${unit}`;
  return typeof most === "number" && length > most ? `must have at most ${most} ${unit}` : null;
}

function findNumberMistake(schema: ResultSchema, value: number): string | null {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: unit } = schema;
  if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `must be at most ${maximum}`;
  if (typeof above === "number" && value <= above) return `must be above ${above}`;
  if (typeof below === "number" && value >= below) return `must be below ${below}`;
  return typeof unit === "number" && !isMultiple(value, unit) ? `must be a multiple of ${unit}` : null;
}

/**
 * 0.3 is a multiple of 0.1, although their quotient is no whole number in binary: it may differ
 * from one by the last digits.
 */
function isMultiple(value: number, unit: number): boolean {
  const quotient = value / unit;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.max(1, Math.abs(quotient));
}

function hasType({ type }: ResultSchema, value: unknown): boolean {
  const types = listOfTexts(type);
  return types.length === 0 || types.some((one) => isOfType(one, value));
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function toNoun(type: string): string {
  if (type === "null") return type;
  if (type === "string") return "a text";
  return type === "boolean" ? "true or false" : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}

const listOf = (value: unknown): ResultSchema[] => (Array.isArray(value) ? value : []);
const listOfTexts = (type: unknown): string[] => (typeof type === "string" ? [type] : Array.isArray(type) ? type : []);
const join = (path: string, name: string | number) => (path === "" ? String(name) : `${path}.${name}`);
