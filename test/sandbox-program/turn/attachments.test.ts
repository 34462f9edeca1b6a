// Files that come with a message: the agent finds them beside its checkout, and a model that can
// look sees the images.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toSafeName } from "../../../sandbox-program/turn/attachments.ts";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { getOutput } from "../support/transcript.ts";
import { createScript, startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const readConversation = (id: string) => readFile(join(world.program.root, `state/conversations/${id}.jsonl`), "utf8");
const getPlace = ({ id }: { id: string }, name: string) => join(world.program.root, "shared/attachments", id, name);

test("files are downloaded before the agent begins, outside of the checkout, and its tools can read them", async () => {
  const notes = world.api.attach("notes.txt", "text/plain", "bring milk\n");
  const same = world.api.attach("notes.txt", "text/plain", "bring bread\n");
  const paths = [getPlace(notes, "notes.txt"), getPlace(same, "notes.txt")];
  const { start, service } = await world.runTurn(
    [
      { bash: `cat ${paths[0]}; git status --porcelain` },
      { tool: { name: "read", input: { path: paths[1] } } },
      { say: "done" },
    ],
    { attachments: [notes, same] },
  );
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toBe("bring milk\nbring bread\n");
  const list = paths.map((path, at) => `- ${path} (text/plain, ${at === 0 ? 11 : 12} bytes)`).join("\\n");
  expect(await readConversation(start.conversation.id)).toContain(`Attached files:\\n${list}"`);
  const downloads = world.api.calls.filter(({ path }) => path.startsWith("/files/"));
  expect(new Set(downloads.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${start.model.token}`]),
  );
});

test("an image is shown only to a model that accepts images; an invalid image never is", async () => {
  const image = world.api.attach("dot.png", "image/png", png);
  const fake = world.api.attach("fake.png", "image/png", "<html>");
  const seeing = await world.runTurn([{ say: "I see." }], { attachments: [image, fake] });
  expect(await seeing.service.ended()).toEqual({ status: "completed" });
  const seen = await readConversation(seeing.start.conversation.id);
  expect(seen).toContain(png.toString("base64"));
  expect(seen.match(/"type":"image"/g)).toHaveLength(1);

  const { start, service } = await world.newTurn([{ say: "I do not." }], { attachments: [image] });
  start.model.acceptsImages = false;
  await world.program.call("POST", "/turns", start);
  expect(await service.ended()).toEqual({ status: "completed" });
  const unseen = await readConversation(start.conversation.id);
  expect(unseen).not.toContain(png.toString("base64"));
  expect(unseen).toContain(getPlace(image, "dot.png"));
});

test("a failed download is retried, also if it broke off in the middle", async () => {
  const refused = world.api.attach("a.txt", "text/plain", "whole", { status: 503 });
  const broken = world.api.attach("b.txt", "text/plain", "whole", { status: 200, body: "wh", breaksOff: true });
  const { service } = await world.runTurn(
    [{ bash: `cat ${getPlace(refused, "a.txt")} ${getPlace(broken, "b.txt")}` }, { say: "done" }],
    { attachments: [refused, broken] },
  );
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toBe("wholewhole");
});

test.each([
  ["is refused", { status: 404 }, "the service answered 404"],
  ["is shorter than announced", { status: 200, body: "wh" }, "2 of its 5 bytes came"],
  ["is longer than announced", { status: 200, body: "whole and more" }, "more than its 5 bytes came"],
])("a file that %s fails the turn with a message that names it", async (_, answer, says) => {
  const file = world.api.attach("report.pdf", "application/pdf", "whole", answer, answer);
  const { service } = await world.runTurn([{ bash: "touch began" }, { say: "never said" }], { attachments: [file] });
  expect(await service.ended()).toEqual({
    status: "failed",
    error: `The message could not be read: The attached file report.pdf could not be fetched: ${says}.`,
    errorCode: null,
  });
  await expect(stat(join(world.program.root, "project/began"))).rejects.toThrow();
  await expect(stat(getPlace(file, "report.pdf"))).rejects.toThrow();
});

test("a stop ends a turn that is still downloading its files", async () => {
  const file = world.api.attach("slow.txt", "text/plain", "slow", { status: 200, isSlow: true });
  const { start, service } = await world.newTurn([{ say: "never said" }], { attachments: [file] });
  await world.program.call("POST", "/turns", start);
  await until("the download", () => world.api.calls.find(({ path }) => file.url.endsWith(path)));
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(await service.ended()).toEqual({ status: "cancelled" });
});

test("files of a steer are given to the agent with it; a steer with unavailable files is returned", async () => {
  const extra = world.api.attach("extra.txt", "text/plain", "the extra\n");
  const gone = world.api.attach("gone.txt", "text/plain", "x", { status: 404 }, { status: 404 });
  const last = world.api.attach("last.txt", "text/plain", "x", { status: 404 }, { status: 404 });
  const gate = await closedGate();
  const { service } = await world.runTurn([{ bash: gate.command }, { say: "the old plan" }]);
  await until("the command", () => service.received.find(({ event }) => event.type === "block"));
  const text = createScript([{ bash: `cat ${getPlace(extra, "extra.txt")}` }, { say: "the new plan" }]);
  service.send({ type: "steer", steerId: "gone", text: "look at this", attachments: [gone] });
  service.send({ type: "steer", steerId: "extra", text, attachments: [extra] });
  service.send({ type: "steer", steerId: "last", text: "and this", attachments: [last] });
  const steers = () =>
    service.received.flatMap(({ event }) => (event.type === "steer" ? [[event.steerId, event.outcome]] : []));
  // They are handed over in order, so the agent has the one before by then.
  await until("the last to be returned", () => steers().length === 2);
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(steers()).toEqual([
    ["gone", "returned"],
    ["last", "returned"],
    ["extra", "taken"],
  ]);
  expect(getOutput(service.received)).toContain("the extra");
});

test("a file's name is made safe for paths and shells", () => {
  expect(toSafeName("../../etc/passwd")).toBe("_.._etc_passwd");
  expect(toSafeName("..")).toBe("file");
  expect(toSafeName("")).toBe("file");
  expect(toSafeName(".bashrc")).toBe("bashrc");
  expect(toSafeName("a\u0000b\nc\u202ed.txt")).toBe("a_b_c_d.txt");
  expect(toSafeName("Übersicht (1).pdf")).toBe("Übersicht (1).pdf");
  expect(toSafeName(`${"漢".repeat(300)}.tar.gz`)).toMatch(/^漢{117}\.gz$/);
  expect(toSafeName("\ud800x")).not.toContain("\ud800");
});
