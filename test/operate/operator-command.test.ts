import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, test } from "vitest";
import { readCommand, sendCommand, usage } from "../../operate/lib/operator-command.ts";

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
])("%s: the usage", async (line) => {
  await expect(typed(line)).rejects.toThrow(usage);
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
  await expect(send()).rejects.toThrow("The service has no OPERATOR_KEY.");
  expect(asked[0]).toEqual(["/internal/operator", "Bearer the-key"]);
  await new Promise((resolve) => server.close(resolve));
  await expect(send()).rejects.toThrow(`Nothing answers at ${address} (`);
});
