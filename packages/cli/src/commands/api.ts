// Any operation of the API, as `gh api` has it.
import type { Command } from "@commander-js/extra-typings";
import type { OperationName, Switchyard } from "@switchyard/client";
import { type Output, openClient, parseJson, readTextFile } from "../command.ts";
import { UsageError } from "../exit.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Splits `name=value`. */
function parseField(field: string): [name: string, value: string] {
  const at = field.indexOf("=");
  if (at < 1) throw new UsageError(`${field} is no field. Write it as name=value.`);
  return [field.slice(0, at), field.slice(at + 1)];
}

/** Adds `api`. */
export function addApiCommand(program: Command, output: () => Output): void {
  program
    .command("api <method> <path>")
    .description("call any operation of the API, and print its data")
    .option("-f, --field <name=value...>", "a text of the query of a GET, else of the body")
    .option("-F, --json-field <name=json...>", "a value in JSON")
    .option("--input <file>", "read the whole body from a file, or from stdin with `-`")
    .action(async (given, path, { field = [], jsonField = [], input }) => {
      const method = given.toUpperCase();
      if (!methods.includes(method)) throw new UsageError(`${given} is no method: ${methods.join(", ")}.`);
      if (!path.startsWith("/")) throw new UsageError(`${path} is no path. It begins with /api/.`);
      const fields: Record<string, unknown> = Object.fromEntries([
        ...field.map(parseField),
        ...jsonField.map((one) => {
          const [name, value] = parseField(one);
          return [name, parseJson(value)] as const;
        }),
      ]);
      const body = input === undefined ? fields : parseJson(await readTextFile(input, "the body"));
      const hasBody = method !== "GET" && (input !== undefined || Object.keys(fields).length > 0);
      const [pathname = "", search = ""] = path.split("?");
      const query = { ...Object.fromEntries(new URLSearchParams(search)), ...(method === "GET" ? fields : {}) };
      const sy = await openClient();
      // The path has no parameters left, so the operation is whatever the caller named.
      const call = sy.request as (operation: OperationName, input: object) => Promise<unknown>;
      const data = await call.call(sy satisfies Switchyard, `${method} ${pathname}` as OperationName, {
        query,
        ...(hasBody && { body }),
      });
      output().answer(data, data === null || data === undefined ? [] : [JSON.stringify(data, null, 2)]);
    });
}
