// A terminal into a session's sandbox: who may have one, what it does, and what ends it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { createClient, type OpenedSession, type Person } from "../support/client.ts";
import { listProcesses, readCommand } from "../support/process-tree.ts";
import { until } from "../support/until.ts";
import { type OpenedSocket, openSocket } from "../support/web-socket.ts";

const world = previewWorld();
const owner = createClient(world);
let session: OpenedSession;
beforeAll(async () => {
  session = await owner.createSession({ title: "Terminal", content: "Hello." });
  await owner.jobUntil(session.path, session.jobId);
});

const opened: OpenedSocket[] = [];
afterAll(() => {
  for (const socket of opened) socket.close();
});

const pathOf = ({ path }: OpenedSession, query = "cols=100&rows=30") => `${path}/preview/terminal?${query}`;

async function open(
  browser: Pick<Browser, "headers">,
  of = session,
): Promise<
  OpenedSocket & { printed(): string; sentence(): string | undefined; run(line: string, output: string): Promise<void> }
> {
  const socket = await openSocket(world.baseUrl, pathOf(of), browser.headers);
  if (typeof socket === "number") throw new Error(`the terminal was answered with ${socket}`);
  opened.push(socket);
  const printed = () => Buffer.concat(socket.receivedBytes).toString();
  return {
    ...socket,
    printed,
    sentence: () => socket.received.map((frame) => JSON.parse(frame).end).find(Boolean),
    async run(line, output) {
      const before = printed().length;
      socket.send(Buffer.from(`${line}\r`));
      await until(output, () => printed().slice(before).includes(output));
    },
  };
}

describe("a handshake is refused", () => {
  const bearer = (key: string) => async () => ({ authorization: `Bearer ${key}` });
  const as =
    (person: Person, headers: Record<string, string> = {}) =>
    async () => ({
      ...(await signIn(world, person)).headers,
      ...headers,
    });
  const origin = new URL(world.baseUrl).origin;
  const refused: [promise: string, headers: () => Promise<Record<string, string>>, status: number, query?: string][] = [
    ["without a credential", async () => ({ origin }), 401],
    ["with an API key of the owner", bearer(world.users.owner.apiKey), 403],
    ["with an agent's token", bearer(world.agentTokens.ofOwner), 403],
    ["of somebody who is no member", as("outsider"), 403],
    ["from another site", as("owner", { origin: "https://elsewhere.example" }), 403],
    ["from a preview", as("owner", { origin: origin.replace("://", "://web--s1.preview.") }), 403],
    ["from a page without an origin", as("owner", { origin: "null" }), 403],
    ["without columns", as("owner"), 400, "cols=0&rows=30"],
    ["with too many rows", as("owner"), 400, "cols=80&rows=501"],
    ["with a size that is no number", as("owner"), 400, "cols=80&rows=x"],
  ];
  test.for(refused)("%s", async ([, headers, status, query]) => {
    expect(await openSocket(world.baseUrl, pathOf(session, query), await headers())).toBe(status);
  });

  test("for a session in the Backlog, and for one that has ended", async () => {
    const { headers } = await signIn(world, "owner");
    const backlog = await owner.createSession({ title: "Later", status: "backlog" });
    expect(await openSocket(world.baseUrl, pathOf(backlog), headers)).toBe(400);
    await owner.put(backlog.path, { status: "archived" });
    expect(await openSocket(world.baseUrl, pathOf(backlog), headers)).toBe(400);
  });

  test("for a request that is no handshake", async () => {
    const browser = await signIn(world, "owner");
    expect(await browser.call("GET", pathOf(session))).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });
});

test("a member's terminal runs commands in the checkout, follows the size of its window, and is in the audit log", async () => {
  const terminal = await open(await signIn(world, "member"));
  await terminal.run("echo $((6*7))", "42");
  await terminal.run("git rev-parse --is-inside-work-tree", "true");
  await terminal.run("stty size", "30 100");
  terminal.send(JSON.stringify({ resize: { cols: 66, rows: 20 } }));
  await until("the new size", async () => {
    const before = terminal.printed().length;
    await terminal.run("stty size; echo do''ne", "done");
    return terminal.printed().slice(before).includes("20 66");
  });
  const { data } = (await owner.get(`/api/organizations/${world.workspaceId}/audit?limit=20`)).body;
  expect(data).toContainEqual(
    expect.objectContaining({
      operation: "openTerminal",
      actor: expect.objectContaining({ userId: world.users.member.id }),
      target: { projectId: world.projectId, sessionId: session.id },
    }),
  );
  terminal.close();
});

test("what it started ends with its socket, also if the connection breaks", async () => {
  const sandboxKey = await owner.getSandboxKey(session.id);
  const count = () =>
    listProcesses(`${world.stateDir}/sandboxes/${sandboxKey}`).filter((one) => /sleep 74\d\d/.test(readCommand(one)))
      .length;
  const terminal = await open(await signIn(world, "owner"));
  await terminal.run("sleep 7401 & (setsid sleep 7402 &); echo sta''rted", "started");
  await until("both", () => count() === 2);
  terminal.cutOff();
  await until("their end", () => count() === 0);
});

test("a message that is none of a terminal's ends it with a sentence", async () => {
  const terminal = await open(await signIn(world, "owner"));
  await terminal.run("echo re''ady", "ready");
  terminal.send("hello");
  expect(await terminal.closed).toMatchObject({ code: 1003 });
  expect(terminal.sentence()).toContain("Reload it");
});

test("signing out ends it, and only the terminals of that sign-in", async () => {
  const [here, there] = await Promise.all([signIn(world, "member"), signIn(world, "member")]);
  const [mine, other] = await Promise.all([open(here), open(there)]);
  await mine.run("echo re''ady", "ready");
  await other.run("echo re''ady", "ready");
  expect((await here.call("POST", "/api/auth/sign-out")).status).toBeLessThan(300);
  expect(await mine.closed).toMatchObject({ code: 1008 });
  expect(mine.sentence()).toContain("signed out");
  await other.run("echo sti''ll", "still");
  other.close();
});

test("a member who is removed loses it", async () => {
  const boss = await signIn(world, "owner");
  const guest = await signIn(world, "member");
  const terminal = await open(guest);
  await terminal.run("echo re''ady", "ready");
  const path = `/api/organizations/${world.workspaceId}`;
  expect((await boss.call("DELETE", `${path}/members/${world.users.member.id}`)).status).toBe(204);
  expect(await terminal.closed).toMatchObject({ code: 1008 });
  expect(terminal.sentence()).toContain("no longer a member");
  const invited = await boss.call("POST", `${path}/invitations`, { email: "member@example.com", role: "member" });
  expect((await guest.call("POST", `/api/invitations/${invited.body.data.token}/accept`)).status).toBe(200);
});

test("it ends with its sandbox and with its session, and says which", async () => {
  const stopped = await open(await signIn(world, "owner"));
  await stopped.run("echo kept > from-terminal.txt; echo writ''ten", "written");
  await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [session.id] });
  expect(await stopped.closed).toMatchObject({ code: 1001 });
  expect(stopped.sentence()).toContain("sandbox has stopped");
  // The next one wakes the sandbox, which has kept the work.
  const woken = await open(await signIn(world, "owner"));
  await woken.run("cat from-terminal.txt", "kept");
  expect((await owner.put(session.path, { status: "archived" })).status).toBe(200);
  expect(await woken.closed).toMatchObject({ code: 1000 });
  expect(woken.sentence()).toContain("session has ended");
});
