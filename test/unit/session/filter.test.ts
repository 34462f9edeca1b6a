import { describe, expect, it } from "vitest";
import { checkFilter, type FilterFacts, type SessionFilter, toSearchable } from "../../../src/session/rules/filter.ts";
import { refusalCode } from "../../support/session-state.ts";

const filter = (named: Partial<SessionFilter>): SessionFilter => ({
  workspaceIds: [],
  projectIds: [],
  statuses: [],
  assignee: null,
  search: "",
  needsYou: false,
  ...named,
});

describe("the values of a filter", () => {
  const workspace = { workspaceIds: ["ws_1"] };
  const project = { projectIds: ["project-1"] };
  const unknown = { workspaceIds: [], projects: [], reached: ["ws_1"], reachedProject: null };
  const projects = [
    { id: "project-1", workspaceId: "ws_1" },
    { id: "project-2", workspaceId: "ws_2" },
  ];
  const known = { workspaceIds: ["ws_1", "ws_2"], projects, reached: ["ws_2", "ws_1"], reachedProject: null };
  const strange = { ...known, reached: ["ws_2"] };

  it.each<[string, Partial<SessionFilter>, FilterFacts, string | null]>([
    ["nothing", {}, unknown, null],
    ["a workspace that the caller is in", workspace, known, null],
    ["two workspaces that the caller is in", { workspaceIds: ["ws_1", "ws_2"] }, known, null],
    ["a workspace of others", workspace, strange, "FORBIDDEN"],
    ["a workspace of others behind one of the caller's", { workspaceIds: ["ws_2", "ws_1"] }, strange, "FORBIDDEN"],
    ["an unknown workspace", workspace, unknown, "NOT_FOUND"],
    ["an unknown workspace behind a known one", { workspaceIds: ["ws_1", "ws_9"] }, known, "NOT_FOUND"],
    ["a project of a workspace that the caller is in", project, known, null],
    ["two projects of the caller's workspaces", { projectIds: ["project-1", "project-2"] }, known, null],
    ["a project of others", project, strange, "FORBIDDEN"],
    [
      "a project of others behind one of the caller's",
      { projectIds: ["project-2", "project-1"] },
      strange,
      "FORBIDDEN",
    ],
    ["the only project that the caller reaches", project, { ...known, reachedProject: "project-1" }, null],
    ["another than the only project", project, { ...known, reachedProject: "project-2" }, "FORBIDDEN"],
    ["an unknown project", project, unknown, "NOT_FOUND"],
    ["an unknown project behind a known one", { projectIds: ["project-1", "project-9"] }, known, "NOT_FOUND"],
    ["both, of others", { ...workspace, ...project }, strange, "FORBIDDEN"],
    [
      "a workspace of the caller and an unknown project",
      { ...workspace, ...project },
      { ...known, projects: [] },
      "NOT_FOUND",
    ],
    ["anything, when the caller is in no workspace", workspace, { ...known, reached: [] }, "FORBIDDEN"],
  ])("%s", (_, named, facts, code) => {
    expect(refusalCode(checkFilter(filter(named), facts))).toBe(code);
  });
});

describe("a search finds a part of a text", () => {
  it.each([
    ["Fix the BOARD", "board"],
    ["Überprüfung", "ÜBERPRÜF"],
    ["CAFÉ", "café"],
    ["cafe\u0301", "CAFÉ"],
    ["ПРИВЕТ мир", "привет МИР"],
    ["ΟΔΟΣ ΟΔΟΣ", "οδος"],
    ["οδός", "ΟΔΌ"],
    ["ΣΙΣΥΦΟΣ", "σισ"],
    ["Straße", "STRASSE"],
    ["日本語だけ", "本語"],
    ["100% done_now", "0% DONE_"],
  ])("%s contains %s", (text, part) => {
    expect(toSearchable(text)).toContain(toSearchable(part));
  });

  it.each([
    ["cafe", "café"],
    ["a-b", "a_b"],
    ["100 percent", "100%"],
  ])("%s does not contain %s", (text, part) => {
    expect(toSearchable(text)).not.toContain(toSearchable(part));
  });
});
