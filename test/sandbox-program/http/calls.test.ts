// Calls that are not well-formed: each is refused with what is wrong about it, and the program
// works on.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const file = { id: "a", name: "a.txt", mediaType: "text/plain", byteSize: 1, url: "http://127.0.0.1:1/a" };

const spoilt: [what: string, spoil: (start: TurnStart) => unknown, message: RegExp][] = [
  ["no attachments", (start) => ({ ...start, attachments: undefined }), /^`attachments` has to be a list\.$/],
  [
    "an attachment whose id is a path",
    (start) => ({ ...start, attachments: [{ ...file, id: "../a" }] }),
    /is not an id: an id consists of letters/,
  ],
  [
    "an attachment without a size",
    (start) => ({ ...start, attachments: [{ ...file, byteSize: -1 }] }),
    /^`attachments.0.byteSize` is below 0/,
  ],
  [
    "an attachment at no address",
    (start) => ({ ...start, attachments: [{ ...file, url: "file:///etc/passwd" }] }),
    /^`attachments.0.url` is not the address/,
  ],
  [
    "a link to nowhere",
    (start) => ({ ...start, link: { url: "nowhere", token: "" } }),
    /^`link.url` is not the address of a server/,
  ],
  ["no API", (start) => ({ ...start, api: null }), /^`api` has to be an object/],
  [
    "an API's project that is a path",
    (start) => ({ ...start, api: { ...start.api, projectId: "a/b" } }),
    /is not an id: an id consists of letters/,
  ],
  ["no outputs", (start) => ({ ...start, outputsUrl: 5 }), /^`outputsUrl` has to be a string/],
  ["no profile", (start) => ({ ...start, profile: undefined }), /^`profile` has to be an object/],
  [
    "a tool that is not known",
    (start) => ({ ...start, profile: { ...start.profile, tools: ["fly"] } }),
    /^`profile.tools.0` has to be one of plan, ask/,
  ],
  [
    "a git that may do what is not known",
    (start) => ({ ...start, profile: { ...start.profile, git: "all" } }),
    /^`profile.git` has to be one of none, fetch, push/,
  ],
  [
    "an unknown wire",
    (start) => ({ ...start, model: { ...start.model, wire: "telegraph" } }),
    /^`model.wire` has to be one of/,
  ],
  [
    "a variable that no environment can hold",
    (start) => ({ ...start, env: { "A B": "x" } }),
    /^`env.A B` holds a name that no variable can have/,
  ],
];

test.each(spoilt)("a turn with %s is refused and does not block the sandbox", async (_, spoil, message) => {
  const { start } = await world.newTurn([{ say: "hello" }]);
  const answer = await world.program.call("POST", "/turns", spoil(start));
  expect(answer).toMatchObject({ status: 400, body: { code: "BAD_CALL", message: expect.stringMatching(message) } });
  expect((await world.program.call("GET", "/status")).body?.turnId).toBeNull();
});

test("a compaction without a conversation id is refused", async () => {
  const { start } = await world.newTurn([]);
  const answer = await world.program.call("POST", "/compactions", { commandId: "c", model: start.model, focus: "" });
  expect(answer).toMatchObject({ status: 400, body: { code: "BAD_CALL" } });
});

test("an empty file can be written", async () => {
  const empty = world.api.attach("empty.txt", "text/plain", "");
  const { service } = await world.runTurn([{ say: "hello" }], { attachments: [empty] });
  expect(await service.ended()).toEqual({ status: "completed" });
});
