// Any operation of the API, as `gh api` has it.
import type { Command } from "@commander-js/extra-typings";
import type { OperationName, PagedName, StreamName, Switchyard } from "@switchyard/client";
import { type Answer, createAction } from "../action.ts";
import { type Output, parseJson, parsePair, readTextFile } from "../command.ts";
import { UsageError } from "../exit.ts";
import { findProject, findWorkspace } from "../find.ts";
import { toPrinted } from "../print/text.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

interface Given {
  field: string[];
  jsonField: string[];
  input?: string | undefined;
  workspace?: string | undefined;
}

/** Adds `api`. */
export function addApiCommand(program: Command, output: () => Output): void {
  program
    .command("api <method> <path>")
    .description("call any operation of the API, and print its data; {project} and {workspace} are the folder's")
    .option("-f, --field <name=value...>", "a text of the query (GET) or of the body", [])
    .option("-F, --json-field <name=json...>", "a JSON value, or the text of a file with @FILE", [])
    .option("--input <file>", "read the whole body from a file, or from stdin with `-`")
    .option("-w, --workspace <name>", "the workspace for {workspace}, if you have several")
    .option("--paginate", "read all pages of a list")
    .option("--follow", "follow a stream of events, one per line")
    .action(
      createAction(output)(async (sy, method, path, { paginate, follow, ...given }) => {
        const { operation, input } = await readCall(sy, method.toUpperCase(), path, given as Given);
        // The path has no parameters left, so the operation is whatever the caller named.
        if (follow) {
          for await (const event of sy.follow(operation as StreamName, input as never))
            process.stdout.write(`${JSON.stringify(event)}\n`);
          return null;
        }
        if (paginate) return toAnswer(await readPages(sy, operation, input));
        const data: unknown = await sy.request(operation, input as never);
        if (!(data instanceof Blob)) return toAnswer(data);
        process.stdout.write(new Uint8Array(await data.arrayBuffer()));
        return null;
      }),
    );
}

async function readCall(
  sy: Switchyard,
  method: string,
  path: string,
  { field, jsonField, input, workspace }: Given,
): Promise<{ operation: OperationName; input: object }> {
  if (!methods.includes(method)) throw new UsageError(`${method} is no method: ${methods.join(", ")}.`);
  if (!path.startsWith("/")) throw new UsageError(`${path} is no path. It begins with /api/.`);
  const fields = await readFields(field, jsonField);
  const body = input === undefined ? fields : parseJson(await readTextFile(input, "the body"));
  const hasBody = method !== "GET" && (input !== undefined || Object.keys(fields).length > 0);
  // A question mark in the query is a part of it.
  const [, pathname = "", search = ""] = /^([^?]*)(?:\?(.*))?$/s.exec(await fillFolder(sy, path, workspace)) ?? [];
  const query = { ...collect(new URLSearchParams(search)), ...(method === "GET" ? fields : {}) };
  return { operation: `${method} ${pathname}` as OperationName, input: { query, ...(hasBody && { body }) } };
}

async function readFields(texts: readonly string[], values: readonly string[]): Promise<Record<string, unknown>> {
  const fields: [name: string, value: unknown][] = texts.map(parsePair);
  for (const given of values) {
    const [name, value] = parsePair(given);
    fields.push([name, value.startsWith("@") ? await readTextFile(value.slice(1), name) : parseJson(value)]);
  }
  return collect(fields);
}

/** Fields by their names. A name that comes again is a list. */
function collect(fields: Iterable<[name: string, value: unknown]>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of fields) found[name] = Object.hasOwn(found, name) ? [found[name], value].flat() : value;
  return found;
}

/** Fills `{project}` and `{workspace}` with those of the folder, or with the named workspace. */
async function fillFolder(sy: Switchyard, path: string, named: string | undefined): Promise<string> {
  const project = path.includes("{project}") ? (await findProject(sy, undefined)).id : "";
  const workspace = path.includes("{workspace}") ? (await findWorkspace(sy, named)).id : "";
  return path.replaceAll("{project}", project).replaceAll("{workspace}", workspace);
}

async function readPages(sy: Switchyard, operation: OperationName, input: object): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    for await (const item of sy.pages(operation as PagedName, input as never)) found.push(item);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(`${operation} has no pages.`) : error;
  }
  return found;
}

function toAnswer(data: unknown): Answer {
  const text = data === null || data === undefined ? null : JSON.stringify(data, null, 2);
  return { data, lines: text === null ? [] : [toPrinted(text)] };
}
