// A client that another project's generator makes of the API's document: it compiles, and does the
// calls of the quick start.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { generate } from "openapi-typescript-codegen";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiDocument, readApiDocument } from "../../scripts/api-document.ts";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";

const folder = mkdtempSync(join(tmpdir(), "generated-client-"));
const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

beforeAll(openApiWorld);
afterAll(() => rmSync(folder, { recursive: true }));

const program = readFileSync(join(import.meta.dirname, "support/generated-quick-start.txt"), "utf8");

interface QuickStart {
  run(settings: { base: string; token: string; projectId: string; content: string }): Promise<{
    sessionId: string;
    isListed: boolean;
    messages: unknown;
    diff: unknown;
    share: unknown;
    unknown: number;
  }>;
}

/** What the compiler says about the files; empty if nothing. */
const findTypeErrors = () => spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" }).stdout;

/**
 * The document without its streams. The generator knows no streams of events, and gives the header
 * `Last-Event-ID` and the parameter `lastEventId` one name.
 */
function withoutStreams(document: ApiDocument): ApiDocument {
  const isStream = (operation: unknown) => JSON.stringify(operation).includes("/parameters/Last-Event-ID");
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).filter(([, operation]) => !isStream(operation))),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

test("a generated client compiles and does the quick start", async () => {
  mkdirSync(join(folder, "client"));
  const input = withoutStreams(await readApiDocument());
  const ways = { httpClient: "fetch", useOptions: true, useUnionTypes: true } as const;
  await generate({ input, output: join(folder, "client"), ...ways });
  writeFileSync(join(folder, "quick-start.ts"), program);
  const options = {
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true, types: [] },
    ...{ target: "ES2022", lib: ["ES2023", "DOM", "DOM.Iterable"], module: "ESNext", moduleResolution: "bundler" },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["**/*.ts"] }));
  expect(findTypeErrors()).toBe("");

  const outfile = join(folder, "quick-start.mjs");
  const entryPoints = [join(folder, "quick-start.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node" });
  const { run }: QuickStart = await import(pathToFileURL(outfile).href);
  const { baseUrl, users, projectId } = apiWorld();
  const content = script({ bash: "echo board > generated.txt" }, { say: "It is there." });
  const done = await run({ base: baseUrl, token: users.owner.apiKey, projectId, content });
  createdSessions.set(done.sessionId, projectId);
  expect(done).toMatchObject({ isListed: true, unknown: 404 });
  expect(JSON.stringify(done.messages)).toContain("It is there.");
  expect(JSON.stringify(done.diff)).toContain("generated.txt");
  expect(JSON.stringify(done.share)).toContain("://");
});
