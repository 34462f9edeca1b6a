// Generates a fixture from GitHub's OpenAPI description: `node test/seams/cut-github-operations.ts
// <folder of @octokit/openapi>`. Of hundreds of megabytes it keeps the request schemas of the
// operations in use, and of some the example of a response.
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
  ["get", `${pull}/files`],
  ["get", `${pull}/requested_reviewers`],
  ["post", `${pull}/requested_reviewers`],
  ["delete", `${pull}/requested_reviewers`],
  ["get", `${pull}/reviews`],
  ["get", `${pull}/comments`],
  ["get", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations"],
  ["get", "/repos/{owner}/{repo}/commits/{ref}/check-runs"],
  ["get", "/repos/{owner}/{repo}/commits/{ref}/status"],
  ["get", "/repos/{owner}/{repo}/installation"],
  ["post", "/app/installations/{installation_id}/access_tokens"],
  ["get", "/repos/{owner}/{repo}"],
  ["get", "/repos/{owner}/{repo}/branches"],
  ["get", "/repos/{owner}/{repo}/branches/{branch}"],
  ["get", "/repos/{owner}/{repo}/collaborators/{username}/permission"],
  ["get", "/user/installations"],
  ["get", "/user/installations/{installation_id}/repositories"],
  ["get", "/user"],
  ["get", "/user/emails"],
  ["delete", "/applications/{client_id}/grant"],
] as const;

/** The operations whose example a test reads. */
const withExample = /^\/user\/installations/;
/** Fields of examples that say what others say too. */
const dropped = /_url$|_count$|^(has|allow)_|^(url|owner|license|topics|events|temp_clone_token)$/;

interface Described {
  responses: Record<string, { content?: { "application/json": { examples?: { default?: { value: unknown } } } } }>;
  parameters: Operation["parameters"];
  requestBody?: { required?: boolean; content: { "application/json": { schema: NonNullable<Operation["body"]> } } };
}

/** Removes descriptions and examples. */
function terse<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (name, item) => (/^(description|examples?|x-.+)$/.test(name) ? undefined : item)),
  );
}

/** Removes what says what others say too, and keeps the total of a list. */
function toExample(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, item) => (dropped.test(name) && name !== "total_count" ? undefined : item)),
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
  const { parameters, requestBody, responses } = described;
  const body = requestBody ? requestBody.content["application/json"].schema : null;
  const answer = responses["200"]?.content?.["application/json"].examples?.default?.value;
  return {
    ...terse({ method, path, parameters, body }),
    ...(withExample.test(path) ? { example: toExample(answer) } : {}),
  };
});
const source = `@octokit/openapi ${(await read("package.json")).version}`;
const fixture: Operations = { source, operations };
await writeFile(join(import.meta.dirname, "github-operations.json"), `${JSON.stringify(fixture)}\n`);
