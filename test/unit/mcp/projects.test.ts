// How tools of MCP read the projects that a caller can reach.
import { expect, test } from "vitest";
import type { Api } from "../../../src/mcp/api.ts";
import { readProjects } from "../../../src/mcp/tool.ts";
import { refuse } from "../../../src/rules/refusal.ts";

const projects = Array.from({ length: 250 }, (_, place) => ({
  ...{ id: `p${place}`, name: "Board", repository: "acme/board", targetBranch: "main" },
}));
const refusal = refuse("UNAUTHORIZED");

/** Answers with pages of the projects, and with a refusal from a page on. */
function createApi(refusedFrom = Number.POSITIVE_INFINITY): Api {
  const call: Api["call"] = async <Data>(_: string, { query = {} } = {} as { query?: object }) => {
    const { page, pageSize } = query as { page: string; pageSize: string };
    const [at, size] = [Number(page), Number(pageSize)];
    const listed = projects.slice((at - 1) * size, at * size).map((project) => ({ ...project, settings: {} }));
    return (at >= refusedFrom ? refusal : listed) as Data;
  };
  return { call, follow: () => Promise.reject(new Error("no stream")) };
}

test("the projects of all pages are read, without their settings", async () => {
  expect(await readProjects(createApi())).toEqual(projects);
});

test("a page that is refused refuses them all", async () => {
  expect(await readProjects(createApi(2))).toEqual(refusal);
});
