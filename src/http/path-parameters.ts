// The parameters of paths. A name means the same in every path.
import { isUuid } from "../lib/ids.ts";

/** Ids that are no UUIDs: those of workspaces, and those of other services. */
const opaqueIds = new Set(["workspaceId", "userId", "pluginId", "placeId"]);

/** True for a parameter of UUIDs. A route returns NOT_FOUND for a value of it that is none. */
export function isUuidParameter(name: string): boolean {
  return name.endsWith("Id") && !opaqueIds.has(name);
}

/** Writes UUIDs in lower case, as they are stored: some clients write them in upper case. */
export function toLowerCaseIds(params: Record<string, string>): Record<string, string> {
  const entries = Object.entries(params);
  return Object.fromEntries(entries.map(([name, value]) => [name, isUuid(value) ? value.toLowerCase() : value]));
}

/** The values of the parameters that a path names as `{name}`. */
export type PathParameters<Path extends string> = Record<ParameterName<Path>, string>;

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

/** The names of a path's parameters, in order. */
export function listParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
