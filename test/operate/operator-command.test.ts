import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, test } from "vitest";
import { readCommand, runCommand, sendCommand, usage } from "../../operate/lib/operator-command.ts";

const typed = (line: string) => readCommand(line.split(" "), async () => "sk-1\n");

it.each<[string, object]>([
  ["owner ada Trains", { command: "owner", login: "ada", name: "Trains" }],
  ["owner ada Trains trains", { command: "owner", login: "ada", name: "Trains", slug: "trains" }],
  ["plan trains team", { command: "plan", workspace: "trains", plan: "team" }],
  ["credential trains openai", { command: "credential", workspace: "trains", provider: "openai", apiKey: "sk-1" }],
  ["parked", { command: "parked" }],
  ["try", { command: "try" }],
  ["workspaces", { command: "workspaces" }],
  ["people", { command: "people" }],
  ["retry session 0d3f", { command: "retry", object: "session", name: "0d3f" }],
  ["delete-person ada", { command: "delete-person", person: "ada", isConfirmed: false, withWorkspaces: false }],
  [
    "delete-person --yes usr_1 --with-workspaces",
    { command: "delete-person", person: "usr_1", isConfirmed: true, withWorkspaces: true },
  ],
  [
    "restore-session 0d3f --at 2026-11-20T08:00:00Z",
    { command: "restore-session", session: "0d3f", at: "2026-11-20T08:00:00Z", isConfirmed: false },
  ],
  [
    "restore-session --yes 0d3f --at 2026-11-20T08:00:00Z",
    { command: "restore-session", session: "0d3f", at: "2026-11-20T08:00:00Z", isConfirmed: true },
  ],
  ["suspend workspace trains", { command: "suspend", type: "workspace", name: "trains" }],
  ["resume person ada", { command: "resume", type: "person", name: "ada" }],
  ["key ada CI", { command: "key", login: "ada", name: "CI" }],
])("%s", async (line, command) => {
  expect(await typed(line)).toEqual(command);
});

it.each([
  "owner ada",
  "parked now",
  "people ada",
  "retry session",
  "plan",
  "drop all now",
  "plan trains team now",
  "owner ada Trains trains now",
  "delete-person --yes",
  "restore-session 0d3f",
  "restore-session 0d3f --at",
  "restore-session --at 2026-11-20T08:00:00Z",
  "restore-session 0d3f --to 2026-11-20T08:00:00Z",
  "restore-session 0d3f --at 2026-11-20T08:00:00Z now",
  "delete-person ada mia --yes",
  "delete-person ada --force",
])("%s: the usage", async (line) => {
  await expect(typed(line)).rejects.toThrow(usage);
});

test("help is printed and is no failure; without the key, a command says which service has one", () => {
  const operator = (...words: string[]) =>
    spawnSync(process.execPath, ["setup.mjs", "operate/commands/operator.ts", ...words], {
      ...{ cwd: new URL("../..", import.meta.url).pathname, encoding: "utf8", input: "" },
      env: { PATH: process.env.PATH },
    });
  expect(operator("--help")).toMatchObject({ status: 0, stdout: `${usage}\n`, stderr: "" });
  expect(operator("owner", "--help")).toMatchObject({ status: 0, stdout: `${usage}\n` });
  expect(operator("people")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(" --public ") });
});

test("a deletion is followed by the person's id until it is done, and each line is shown once", async () => {
  const answers = [
    { person: "usr_1", state: "deleting", progress: "starting" },
    { person: "usr_1", state: "deleting", progress: "step 4" },
    { person: "usr_1", state: "deleting", progress: "step 4" },
    { person: "usr_1", state: "done", progress: "all steps" },
  ];
  const sent: unknown[] = [];
  const lines: string[] = [];
  await runCommand(
    { command: "delete-person", person: "ada" },
    {
      send: async (command) => {
        sent.push(command);
        return answers[sent.length - 1] ?? {};
      },
      print: (line) => lines.push(line),
      pause: async () => undefined,
    },
  );
  const again = { command: "delete-person", person: "usr_1" };
  expect(sent).toEqual([{ command: "delete-person", person: "ada" }, again, again, again]);
  const [first, ...rest] = ["person: usr_1", "state: deleting", "progress: starting", "progress: step 4"];
  expect(lines).toEqual([first, ...rest, "state: done", "progress: all steps"]);
});

test("the service's own message is shown, and a service without the secret is named", async () => {
  const answers: [number, object][] = [
    [200, { data: { slug: "trains" } }],
    [409, { error: "The slug trains is taken." }],
    [404, { error: "There is no such path." }],
  ];
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    const [status, body] = answers[asked.length - 1] ?? [500, {}];
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = () => sendCommand(address, "the-key", {});
  expect(await send()).toEqual({ slug: "trains" });
  await expect(send()).rejects.toThrow("The slug trains is taken.");
  await expect(send()).rejects.toThrow(
    /^The service has no OPERATOR_KEY\..* `npm start -- --public https:\/\/HOST`\.$/,
  );
  expect(asked[0]).toEqual(["/internal/operator", "Bearer the-key"]);
  await new Promise((resolve) => server.close(resolve));
  await expect(send()).rejects.toThrow(`Nothing answers at ${address} (`);
});
