import { describe, expect, it } from "vitest";
import { mayFilter, type SessionFilter, searchable } from "../../src/rules/session-filter.ts";
import { refusalCode } from "../support/session-state.ts";

const filter = (named: Partial<SessionFilter>): SessionFilter => ({
  workspaceId: null,
  projectId: null,
  statuses: [],
  assignee: null,
  search: "",
  needsYou: false,
  ...named,
});

describe("what a filter may name", () => {
  const workspace = { workspaceId: "ws_1" };
  const project = { projectId: "project-1" };
  const unknown = { workspaceExists: false, projectWorkspaceId: null, reached: ["ws_1"] };
  const known = { workspaceExists: true, projectWorkspaceId: "ws_1", reached: ["ws_2", "ws_1"] };
  const strange = { ...known, reached: ["ws_2"] };

  it.each([
    ["nothing", {}, unknown, null],
    ["a workspace that the caller is in", workspace, known, null],
    ["a workspace of others", workspace, strange, "FORBIDDEN"],
    ["an unknown workspace", workspace, unknown, "NOT_FOUND"],
    ["a project of a workspace that the caller is in", project, known, null],
    ["a project of others", project, strange, "FORBIDDEN"],
    ["an unknown project", project, unknown, "NOT_FOUND"],
    ["both, of others", { ...workspace, ...project }, strange, "FORBIDDEN"],
    [
      "a workspace of the caller and an unknown project",
      { ...workspace, ...project },
      { ...known, projectWorkspaceId: null },
      "NOT_FOUND",
    ],
    ["anything, when the caller is in no workspace", workspace, { ...known, reached: [] }, "FORBIDDEN"],
  ])("%s", (_, named, facts, code) => {
    expect(refusalCode(mayFilter(filter(named), facts))).toBe(code);
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
  ])("%s holds %s", (text, part) => {
    expect(searchable(text)).toContain(searchable(part));
  });

  it.each([
    ["cafe", "café"],
    ["a-b", "a_b"],
    ["100 percent", "100%"],
  ])("%s does not hold %s", (text, part) => {
    expect(searchable(text)).not.toContain(searchable(part));
  });
});
