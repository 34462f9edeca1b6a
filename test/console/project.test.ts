// The rules of a project's pages: what is added, what a save of the settings sends, and the words.

import type { Schemas } from "@switchyard/client";
import { stateOf } from "@switchyard/client/state";
import { expect, test } from "vitest";
import {
  findQuestions,
  joinJobs,
  keepTurns,
  noTurns,
  toAnswers,
  toTurnMessages,
} from "../../console/src/project/deploy-turns.ts";
import { describeDeploy, isDeployOpen, placeSteps } from "../../console/src/project/deploy-words.ts";
import {
  describeHostMistakes,
  describeNetwork,
  findSecretMistake,
  isSameNetwork,
  readHosts,
  toEdited,
  toNetwork,
  withHost,
} from "../../console/src/project/network-form.ts";
import {
  describeChoices,
  findChoices,
  findChosen,
  readRepository,
  stepChoice,
  toNewProject,
  toSearch,
} from "../../console/src/project/new-project.ts";
import { formatEdits, parseEdits, takeLeft, withEdit } from "../../console/src/project/queue-edits.ts";
import {
  describeServices,
  findServiceMistake,
  toEditedServices,
  toServices,
} from "../../console/src/project/services-rules.ts";
import {
  findMistake,
  isSame,
  labelVariable,
  mask,
  placeSection,
  readVariables,
  toEnvironment,
  toRows,
  type Variable,
  withVariables,
} from "../../console/src/project/settings-form.ts";
import { parseTyped, placeTyped } from "../../console/src/project/typed.ts";

test.each([
  ["acme/departures", "acme/departures"],
  ["  https://github.com/acme/departures.git ", "acme/departures"],
  ["https://github.com/acme/departures/", "acme/departures"],
  ["git@github.com:acme/departures.git", "acme/departures"],
  ["ssh://git@github.com/acme/departures", "acme/departures"],
  ["acme", null],
  ["acme/departures/tree/main", null],
  ["acme/..", null],
  ["acme/de partures", null],
  ["", null],
])("the repository in %j is %s", (text, repository) => {
  expect(readRepository(text)?.repository ?? null).toBe(repository);
});

const choices = ["acme/board", "acme/Departures", "other/board-2"].map((repository) => ({ repository }));

test.each([
  ["", ["acme/board", "acme/Departures", "other/board-2"], null],
  [" BOARD ", ["acme/board", "other/board-2"], null],
  ["acme/departures", ["acme/Departures"], "acme/Departures"],
  ["https://github.com/acme/board.git", ["acme/board"], "acme/board"],
  ["acme/nowhere", [], null],
])("the text %j finds %j, and chooses %j", (typed, found, chosen) => {
  expect(findChoices(choices, toSearch(typed)).map(({ repository }) => repository)).toEqual(found);
  expect(findChosen(choices, typed)?.repository ?? null).toBe(chosen);
});

test.each([
  [-1, 1, 0],
  [2, 1, -1],
  [-1, -1, 2],
  [0, -1, -1],
  [1, -1, 0],
] as const)("from choice %i of three, a step of %i leads to %i", (at, step, next) => {
  expect(stepChoice(at, step, 3)).toBe(next);
});

test.each([
  [{ shown: 3, total: 3, typed: "" }, "3 repositories to choose from."],
  [{ shown: 1, total: 1, typed: " " }, "1 repository to choose from."],
  [{ shown: 50, total: 312, typed: "" }, "The newest 50 of 312. Type to find others."],
  [{ shown: 1, total: 312, typed: "bo" }, "1 repository found."],
  [{ shown: 0, total: 3, typed: "bo" }, "None is called that. Write it as owner/name, or paste its address."],
  [
    { shown: 0, total: 3, typed: "acme/nowhere" },
    "It is not in the list. If the app is installed for it, you can add it.",
  ],
])("%j is described as %j", (found, words) => {
  expect(describeChoices(found)).toBe(words);
});

test("a project without a name has that of its repository", () => {
  const typed = { workspaceId: "ws", repository: "acme/departures", name: " ", targetBranch: "" };
  expect(toNewProject(typed)).toEqual({ workspaceId: "ws", repository: "acme/departures", name: "departures" });
  expect(toNewProject({ ...typed, name: "Board", targetBranch: " next " })).toMatchObject({
    name: "Board",
    targetBranch: "next",
  });
  expect(toNewProject({ ...typed, workspaceId: undefined })).toBe(null);
  expect(toNewProject({ ...typed, repository: "acme" })).toBe(null);
});

test.each([
  ["deployed", "live", "good"],
  ["awaiting_user", "asks you", "asks"],
  ["a_new_state", "a new state", "quiet"],
])("a Deploy that is %s is said to be %s", (status, word, tone) => {
  expect(describeDeploy(status)).toEqual({ word, tone });
});

test.each([
  ["creating_sandbox", ["now", "later", "later", "later", "later", "later"]],
  ["awaiting_user", ["done", "done", "now", "later", "later", "later"]],
  ["warming_pool", ["done", "done", "done", "done", "done", "now"]],
  ["updating", null],
  ["failed", null],
])("the steps of a Deploy that is %s are %j", (status, steps) => {
  expect(placeSteps(status)).toEqual(steps);
});

test("a Deploy that waits for an answer is open, and one that ended is not", () => {
  expect(["running_agent", "awaiting_user", "deployed", "cancelled", "idle"].map(isDeployOpen)).toEqual([
    ...[true, true, false, false, false],
  ]);
});

const said = (deployJobId: string, role: "user" | "assistant" | "system", delivery: "job" | "steer" | null = null) =>
  ({ id: "m", deployJobId, role, delivery, blocks: [] }) as unknown as Schemas["DeployMessage"];

test("the messages of a Deploy Chat are put into turns, the newest with the id of its stream", () => {
  const messages = [
    said("one", "system"),
    said("one", "user", "job"),
    said("one", "assistant"),
    said("one", "user", "steer"),
    said("one", "assistant"),
    said("one", "system"),
    said("one", "user", "job"),
    said("one", "assistant"),
    said("two", "system"),
  ];
  const turns = toTurnMessages(messages, "stream").map(({ jobId }) => jobId);
  expect(turns).toEqual([...Array(6).fill("one 0"), "stream", "stream", "two 2"]);
  expect(toTurnMessages([said("one", "system")], null).map(({ jobId }) => jobId)).toEqual(["one 0"]);
});

test("a turn of the Deploy Chat keeps its record when the chat is read again", () => {
  const one = (id: string, role: "user" | "assistant") => ({
    ...said("one", role, role === "user" ? "job" : null),
    id,
  });
  const job = (id: string, status: string, createdAt: string) => ({ id, status, createdAt }) as Schemas["Job"];
  const started = [one("m1", "user"), one("m2", "assistant")];
  const first = stateOf({ messages: toTurnMessages(started, "first"), jobs: [job("first", "completed", "1")] });
  const known = keepTurns(noTurns, first);
  const all = [...started, one("m3", "user"), one("m4", "assistant")];
  const turns = toTurnMessages(all, "second", known.turnOf).map(({ jobId }) => jobId);
  expect(turns).toEqual(["first", "first", "second", "second"]);
  // The next turn may have no message yet.
  expect(toTurnMessages(started, "second", known.turnOf).map(({ jobId }) => jobId)).toEqual(["first", "first"]);
  const jobs = [job("second", "running", "2")];
  expect(joinJobs(known.jobs, jobs).map(({ id }) => id)).toEqual(["first", "second"]);
  expect(joinJobs([job("first", "running", "1")], jobs)).toEqual(jobs);
  expect(keepTurns(known, stateOf({ messages: [], jobs }))).toEqual(noTurns);
});

test("what is typed into a message that has left Up next becomes a text, and other edits stay", () => {
  const edit = (id: string, text: string) => ({ id, version: 1, original: "Begin", text });
  const edits = [edit("a", "Begin now"), edit("b", "Begin"), edit("c", "Begin later"), edit("d", "Begin again")];
  expect(parseEdits(formatEdits(edits))).toEqual(edits);
  expect(takeLeft(edits, [{ id: "c" }, { id: "e" }])).toEqual({
    edits: [edit("c", "Begin later")],
    text: "Begin now\n\nBegin again",
  });
  expect(takeLeft(edits, edits)).toEqual({ edits, text: "" });
  expect(withEdit([edit("a", "Begin now")], "a", edit("a", "Begin soon"))).toEqual([edit("a", "Begin soon")]);
  expect(formatEdits(withEdit([edit("a", "Begin now")], "a", null))).toBe("");
  expect(parseEdits("")).toEqual([]);
});

test("answers are sent once every question has its option", () => {
  const questions = [{ topic: "", question: "One?", options: [] }, { topic: "", question: "Two?", options: [] }]; // biome-ignore format: short
  const block = { type: "clarification", clarificationData: { questions } } as const;
  expect(findQuestions([{ blocks: [block] }, { blocks: [] }])).toEqual(questions);
  expect(findQuestions([])).toEqual([]);
  expect(toAnswers(questions, { 0: 1 })).toBe(null);
  expect(toAnswers(questions, { 0: 1, 1: 0 })).toEqual([{ question: 0, option: 1 }, { question: 1, option: 0 }]); // biome-ignore format: short
  expect(toAnswers([], {})).toBe(null);
});

test.each([
  ["TOKEN", undefined, "Value of TOKEN"],
  ["TOKEN", "web", "Value of TOKEN of web"],
  [" ", undefined, "Value of the new variable"],
  ["", "web", "Value of the new variable of web"],
])("the value of a variable %j of %s has the label %s", (name, of, label) => {
  expect(labelVariable("Value of", name, of)).toBe(label);
});

const row = (name: string, value: string, isKept = false): Variable => ({ key: name, name, value, isKept });

test("a value that was not edited is sent as its mask, and an edited one as it is", () => {
  const [kept, empty] = toRows({ TOKEN: mask, EMPTY: "" }).reverse();
  expect([kept?.isKept, empty?.isKept]).toEqual([true, false]);
  const rows = [kept as Variable, row(" NEW ", "a b"), row("", "")];
  expect(toEnvironment(rows)).toEqual({ TOKEN: mask, NEW: "a b" });
});

test.each([
  [[row("A", "1"), row("B_2", "")], null],
  [[row("", "")], null],
  [[row("", "1")], "A variable has no name."],
  [[row("2A", "")], "“2A” is no name: use letters, digits and _, and begin with no digit."],
  [[row("SWITCHYARD_X", "")], "“SWITCHYARD_X” is a name of the service: use another one."],
  [[row("A", "1"), row("A ", "2")], "“A” is there twice."],
])("the variables %j have the mistake %s", (rows, mistake) => {
  expect(findMistake(rows)).toBe(mistake);
});

test.each([
  ["A=1\n# said\n\nexport B='two words'", [["A", "1"], ["B", "two words"]]], // biome-ignore format: a table
  ['A="x=y"\r\nC=', [["A", "x=y"], ["C", ""]]], // biome-ignore format: a table
  ["TOKEN", null],
  ["A=1\nno line", null],
  ["", null],
])("the file %j has the variables %j", (text, variables) => {
  expect(readVariables(text)).toEqual(variables);
});

test("pasted variables replace those of their names", () => {
  const rows = withVariables([row("A", mask, true), row("", "")], [["A", "1"], ["B", "2"]], () => "new"); // biome-ignore format: short
  expect(rows).toEqual([row("A", "1"), { ...row("B", "2"), key: "new" }]);
});

test("a save of a section keeps what others changed elsewhere, and overwrites none of their work", () => {
  const base = { setup: ["npm ci"], services: [], env: { A: mask, B: "" } };
  const newest = { ...base, env: { B: "", A: mask, C: mask } };
  expect(placeSection("setup", { base: base.setup, newest, mine: ["npm i"] })).toEqual({ ...newest, setup: ["npm i"] });
  expect(placeSection("env", { base: base.env, newest, mine: { A: "x" } })).toBe(null);
  expect(isSame({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
});

const rules = {
  fresh: { base: "now", form: ["now"] },
  toForm: (saved: string) => [saved],
  toValue: (form: string[]) => form.filter((one) => one !== "").join(),
};

test.each([
  ["nothing", null, ["now"], false],
  ["a change of what is saved", { base: "now", form: ["mine"] }, ["mine"], true],
  ["an empty row", { base: "now", form: ["now", ""] }, ["now", ""], false],
  ["a change of what was saved before", { base: "old", form: ["mine"] }, ["mine"], true],
  ["no change of what was saved before", { base: "old", form: ["old", ""] }, ["now"], false],
  ["what is saved by now", { base: "old", form: ["now"] }, ["now"], false],
])("a form with %s typed shows what is typed or what is saved", (_, typed, form, isChanged) => {
  const placed = placeTyped(typed, rules);
  expect([placed.shown.form, placed.isChanged]).toEqual([form, isChanged]);
});

test("what a browser has kept of a form is read, and nothing else", () => {
  const typed = { base: "old", form: ["mine"] };
  expect(parseTyped(JSON.stringify(typed), rules)).toEqual(typed);
  for (const kept of ["", "{", "null", '{"base":"old","form":{}}']) expect(parseTyped(kept, rules)).toBe(null);
});

const web = {
  name: "web",
  command: "npm start",
  cwd: "app",
  env: { TOKEN: mask },
  endpoints: [{ port: 3_000, public: true, healthPath: "/" }, { name: "admin", port: 3_001, public: false }], // biome-ignore format: short
};

test("services survive the form, and what is wrong with them is said", () => {
  const edited = toEditedServices([web]);
  expect(toServices(edited)).toEqual([web]);
  expect(findServiceMistake(edited)).toBe(null);
  const [one] = edited;
  if (!one) throw new Error("The form has no service.");
  expect(findServiceMistake([one, one])).toBe("“web” is the name of two services.");
  expect(findServiceMistake([{ ...one, command: " " }])).toBe("“web” has no command.");
  expect(findServiceMistake([{ ...one, name: "site" }])).toContain("Stored values belong to the name “web”");
  const [endpoint] = one.endpoints;
  for (const [port, said] of [
    ["0", "is no number"],
    ["70000", "is no number"],
    ["x", "is no number"],
    ["3001", "is there twice"],
  ])
    expect(findServiceMistake([{ ...one, endpoints: [{ ...endpoint, port }, ...one.endpoints.slice(1)] as typeof one.endpoints }])).toContain(said); // biome-ignore format: short
  expect(describeServices([web])).toEqual([
    "web: npm start (in app)",
    "  port 3000, public, /",
    "  port 3001, admin",
    `  TOKEN=${mask}`,
  ]);
});

test.each([
  ["a.example.com\nb.example.com, a.example.com", ["a.example.com", "b.example.com"]],
  ["https://a.example.com/path", ["a.example.com"]],
  ["10.0.0.0/8", ["10.0.0.0/8"]],
  [" ", []],
])("the hosts in %j are %j", (text, hosts) => {
  expect(readHosts(text)).toEqual(hosts);
});

test("a network is sent without the lists of another mode, and is the same in any order of presets", () => {
  const hosts = { mode: "hosts", presets: ["npm", "go"], hosts: ["a.example.com"], strict: true } as const;
  const network = { ...hosts, presets: [...hosts.presets], hosts: [...hosts.hosts] };
  expect(toNetwork({ ...toEdited(network), mode: "closed" })).toEqual({
    ...{ mode: "closed", presets: [], hosts: [], strict: false },
  });
  expect(isSameNetwork(network, { ...network, presets: ["go", "npm"] })).toBe(true);
  expect(isSameNetwork(network, { ...network, strict: false })).toBe(false);
  expect(describeNetwork(network)).toEqual(["Listed hosts, strict", "Presets: npm, Go", "a.example.com"]);
  expect(withHost("a.example.com", "b.example.com")).toBe("a.example.com\nb.example.com");
  expect(withHost("a.example.com", "a.example.com")).toBe("a.example.com");
});

test("a wrong host is named, and so is what is wrong with a secret", () => {
  const details = [{ path: "hosts.1", message: "is no host" }, { path: "mode", message: "is wrong" }]; // biome-ignore format: short
  expect(describeHostMistakes(details, ["a", "b"])).toEqual(["“b” is no host", "mode is wrong"]);
  const secret = { name: "KEY", value: "12345678", onlyTo: ["api.example.com"] };
  expect(findSecretMistake(secret)).toBe(null);
  for (const wrong of [{ name: "1" }, { value: "short" }, { value: "with a space" }, { onlyTo: [] }])
    expect(findSecretMistake({ ...secret, ...wrong })).not.toBe(null);
});
