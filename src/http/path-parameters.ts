// The parameters of paths. A name means the same in every path.

/** Ids that are no UUIDs: those of workspaces, and those of other services. */
const opaqueIds = new Set(["workspaceId", "userId", "pluginId", "placeId"]);

/** True for a parameter of UUIDs. A route returns NOT_FOUND for a value of it that is none. */
export function isUuidParameter(name: string): boolean {
  return name.endsWith("Id") && !opaqueIds.has(name);
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
