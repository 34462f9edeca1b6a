// Generates a fixture from GitHub's OpenAPI description: `node test/seams/cut-github-operations.ts
// <folder of @octokit/openapi>`. Of hundreds of megabytes it keeps the request schemas of the
// operations in use.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Operation, Operations } from "./github-operations.ts";

const pull = "/repos/{owner}/{repo}/pulls/{pull_number}";
const inUse = [
  ["get", "/repos/{owner}/{repo}/pulls"],
  ["post", "/repos/{owner}/{repo}/pulls"],
  ["get", pull],
  ["patch", pull],
  ["put", `${pull}/merge`],
  ["get", "/repos/{owner}/{repo}/compare/{basehead}"],
  ["get", "/repos/{owner}/{repo}/collaborators"],
  ["get", `${pull}/requested_reviewers`],
  ["post", `${pull}/requested_reviewers`],
  ["delete", `${pull}/requested_reviewers`],
  ["get", `${pull}/reviews`],
  ["get", `${pull}/reviews/{review_id}/comments`],
  ["get", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"],
  ["get", "/repos/{owner}/{repo}/commits/{ref}/check-runs"],
  ["get", "/repos/{owner}/{repo}/commits/{ref}/status"],
  ["get", "/repos/{owner}/{repo}/installation"],
  ["post", "/app/installations/{installation_id}/access_tokens"],
  ["get", "/repos/{owner}/{repo}"],
  ["get", "/repos/{owner}/{repo}/branches"],
  ["get", "/repos/{owner}/{repo}/branches/{branch}"],
  ["get", "/repos/{owner}/{repo}/collaborators/{username}/permission"],
  ["get", "/user"],
  ["get", "/user/emails"],
  ["delete", "/applications/{client_id}/grant"],
] as const;

interface Described {
  parameters: Operation["parameters"];
  requestBody?: { required?: boolean; content: { "application/json": { schema: NonNullable<Operation["body"]> } } };
}

/** Removes descriptions and examples. */
function terse<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (name, item) => (/^(description|examples?|x-.+)$/.test(name) ? undefined : item)),
  );
}

const [folder = ""] = process.argv.slice(2);
const read = async (path: string) => JSON.parse(await readFile(join(folder, path), "utf8"));
const { paths }: { paths: Record<string, Record<string, Described>> } = await read(
  "generated/api.github.com.deref.json",
);
const operations = inUse.map(([method, path]): Operation => {
  const described = paths[path]?.[method];
  if (!described) throw new Error(`GitHub has no ${method} ${path}`);
  const { parameters, requestBody } = described;
  const body = requestBody ? requestBody.content["application/json"].schema : null;
  return terse({ method, path, parameters, body });
});
const source = `@octokit/openapi ${(await read("package.json")).version}`;
const fixture: Operations = { source, operations };
await writeFile(join(import.meta.dirname, "github-operations.json"), `${JSON.stringify(fixture)}\n`);
