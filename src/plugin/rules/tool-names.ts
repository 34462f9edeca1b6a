// The tools under the names that plugins use. A hook receives a tool's published name and fields;
// its matcher may use either name.
import { toFields } from "./manifest-values.ts";

/** The published names of our tools. Hooks receive the first one. */
const published: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bash: ["Bash"],
    read: ["Read"],
    write: ["Write"],
    edit: ["Edit", "MultiEdit"],
    grep: ["Grep"],
    find: ["Glob"],
    ls: ["LS"],
    agent: ["Agent", "Task"],
    plan: ["TodoWrite"],
    ask: ["AskUserQuestion"],
  }),
);

/** The tool name that hooks receive. */
export function toPublishedName(tool: string): string {
  return published.get(tool)?.[0] ?? tool;
}

/** Every name of a tool. */
export function listToolNames(tool: string): string[] {
  return [tool, ...(published.get(tool) ?? [])];
}

const fileTools = ["read", "write", "edit"];

/**
 * The input of a tool, with the published fields in addition to ours. `absolute` makes a path
 * absolute.
 */
export function toPublishedInput(
  tool: string,
  input: Record<string, unknown>,
  absolute: (path: string) => string,
): Record<string, unknown> {
  const { path, edits } = input;
  if (!fileTools.includes(tool) || typeof path !== "string") return input;
  const [first] = Array.isArray(edits) ? edits.map(toFields) : [];
  const change = first === undefined ? {} : { old_string: first.oldText, new_string: first.newText };
  return { ...input, file_path: absolute(path), ...change };
}

/**
 * Converts a hook's replacement for a tool's input to our fields: those that it changed, under
 * either name.
 */
export function fromPublishedInput(
  tool: string,
  before: Record<string, unknown>,
  told: Record<string, unknown>,
  wanted: Record<string, unknown>,
): Record<string, unknown> {
  const { file_path: path, old_string: oldText, new_string: newText, ...own } = wanted;
  const changed: Record<string, unknown> = { ...before, ...own };
  if (!fileTools.includes(tool)) return { ...before, ...wanted };
  if (path !== told.file_path && typeof path === "string") changed.path = path;
  const isEdited = oldText !== told.old_string || newText !== told.new_string;
  if (tool === "edit" && isEdited && typeof oldText === "string" && typeof newText === "string")
    changed.edits = [{ oldText, newText }];
  return changed;
}
