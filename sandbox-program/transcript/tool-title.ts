// The title of a tool block: the most telling field of the call's input, on one line.
import { fieldsOf } from "../http/unknown-fields.ts";

const titleCharactersMax = 200;
/** The input fields that can be the title, in order of preference. */
const titleFields = ["command", "path", "file_path", "pattern", "query", "title", "name"];

/** The title of a tool call. */
export function toolTitle(name: string, input: unknown): string {
  const fields = fieldsOf(input);
  const title = titleFields
    .map((field) => fields[field])
    .find((value) => typeof value === "string" && value.trim() !== "");
  const line = (typeof title === "string" ? title : name).trim().split("\n")[0] ?? name;
  return line.length > titleCharactersMax ? `${line.slice(0, titleCharactersMax - 1)}…` : line;
}
