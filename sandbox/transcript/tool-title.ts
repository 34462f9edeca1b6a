// The title of a tool block: the one thing about a call that tells it from the others, on one line.
import { fieldsOf } from "../http/unknown-fields.ts";

const titleCharactersMax = 200;
/** The fields of a call's input that can be its title, the most telling first. */
const titleFields = ["command", "path", "file_path", "pattern", "query", "title", "name"];

/** A line for people about a tool's call. */
export function toolTitle(name: string, input: unknown): string {
  const fields = fieldsOf(input);
  const title = titleFields
    .map((field) => fields[field])
    .find((value) => typeof value === "string" && value.trim() !== "");
  const line = (typeof title === "string" ? title : name).trim().split("\n")[0] ?? name;
  return line.length > titleCharactersMax ? `${line.slice(0, titleCharactersMax - 1)}…` : line;
}
