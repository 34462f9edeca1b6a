// A terminal in its object: frames in both directions with bounded memory, and what ends it.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import type { SandboxContext } from "../../../durable-objects/sandbox/context.ts";
import { startTerminal } from "../../../durable-objects/sandbox/terminal.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { type Refusal, refuse } from "../../../src/rules/refusal.ts";
import { recordChange, recordView } from "../../../src/sandbox/rules/lifecycle.ts";
import { terminalEnds } from "../../../src/terminal/rules/ends.ts";
import { terminalUnreadBytes, terminalUntakenBytes, terminalUntypedMs } from "../../../src/terminal/rules/limits.ts";
import { addWorkspaceWith } from "../support/people.ts";

const lookEveryMs = 15_000;

/** The frames that a socket got so far, and its close. */
function record(socket: WebSocket) {
  const texts: string[] = [];
  const bytes: ArrayBuffer[] = [];
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") texts.push(data);
    else bytes.push(data as ArrayBuffer);
  });
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  return { socket, texts, bytes, closed, text: () => bytes.map((part) => new TextDecoder().decode(part)).join("") };
}

/** A terminal of a member, whose sandbox program is the other end of a pair of sockets. */
async function open({ refusal = null, isSlow = false }: { refusal?: Refusal | null; isSlow?: boolean } = {}) {
  const { workspaceId, users } = await addWorkspaceWith({ mia: "member" });
  await issueBrowserSession(env.DB, users.mia, Date.now());
  const key = await env.DB.prepare("SELECT id FROM keys WHERE user_id = ?1").bind(users.mia).first<{ id: string }>();
  const [sessionId, projectId, sandboxKey] = [crypto.randomUUID(), crypto.randomUUID(), `s${crypto.randomUUID()}`];
  await env.DB.prepare(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, branch, target_branch, sandbox_key, is_behind, created_at, updated_at, queue_count)
     VALUES (?1, ?2, ?3, 'T', 'active', 'none', 'svc/x', 'main', ?4, 0, 0, 0, 0)`,
  )
    .bind(sessionId, workspaceId, projectId, sandboxKey)
    .run();
  const { 0: forwarded, 1: program } = new WebSocketPair();
  program.accept();
  const decided: unknown[] = [];
  const woken = Promise.withResolvers<void>();
  if (!isSlow) woken.resolve();
  const owner = {
    type: "session",
    id: sessionId,
    workspaceId,
    projectId,
    branch: "svc/x",
    baseBranch: "main",
  } as const;
  const context = {
    env,
    store: { settings: () => null },
    shell: { decide: (rule: unknown) => void decided.push(rule) },
    calls: {
      key: sandboxKey,
      driver: { fetch: async () => new Response(null, { status: 101, webSocket: forwarded }) },
      async wakeAndRun(_: unknown, act: (sandbox: { secret: string }) => Promise<unknown>) {
        await woken.promise;
        return refusal ?? (await act({ secret: "x" }));
      },
    },
  } as unknown as SandboxContext;
  const holder = { userId: users.mia, keyId: key?.id ?? "", sessionId, sandboxKey };
  const { webSocket } = startTerminal(context, { holder, owner, size: { cols: 80, rows: 24 } });
  if (!webSocket) throw new Error("no WebSocket");
  webSocket.accept();
  const update = (sql: string, ...values: unknown[]) =>
    env.DB.prepare(sql)
      .bind(...values)
      .run();
  return {
    browser: record(webSocket),
    program: record(program),
    decided,
    wake: woken.resolve,
    holder,
    workspaceId,
    update,
  };
}

const opening = '{"open":{"cols":80,"rows":24,"env":{}}}';
const encode = (text: string) => new TextEncoder().encode(text);
const readEnd = ({ texts }: { texts: string[] }) => JSON.parse(texts.at(-1) ?? "{}").end;

test("carries bytes both ways, and the frames that it knows", async () => {
  const { browser, program, decided } = await open();
  await expect.poll(() => program.texts).toEqual([opening]);
  browser.socket.send(encode("ls\r"));
  program.socket.send(encode("README.md"));
  browser.socket.send('{"resize":{"cols":90,"rows":30}}');
  await expect.poll(browser.text).toBe("README.md");
  // A size that changes quickly is not sent each time, but at last.
  for (let rows = 31; rows <= 60; rows++) browser.socket.send(JSON.stringify({ resize: { cols: 90, rows } }));
  await expect.poll(() => program.texts.at(-1)).toBe('{"resize":{"cols":90,"rows":60}}');
  expect(program.texts[1]).toBe('{"resize":{"cols":90,"rows":30}}');
  expect(program.texts.length).toBeLessThan(10);
  expect(program.text()).toBe("ls\r");
  expect(decided).toContain(recordView);
  browser.socket.close(1000);
  expect(await program.closed).toBe(1000);
  // What the member may have changed is saved.
  expect(decided.at(-1)).toBe(recordChange);
});

test("keeps what is typed while the sandbox starts, and the newest size", async () => {
  const { browser, program, wake } = await open({ isSlow: true });
  browser.socket.send(encode("ma"));
  browser.socket.send('{"resize":{"cols":70,"rows":20}}');
  browser.socket.send(encode("ke\r"));
  wake();
  await expect.poll(program.text).toBe("make\r");
  expect(program.texts[0]).toBe(opening.replace("80", "70").replace("24", "20"));
});

test.each([false, true])("ends immediately when access is lost, while the sandbox starts: %s", async (isSlow) => {
  const { browser, program, holder, workspaceId, update } = await open({ isSlow });
  if (!isSlow) await expect.poll(() => program.texts.length).toBe(1);
  const workspace = getWorkspaceEventsObject(env, workspaceId);
  const countWatches = () => runInDurableObject(workspace, (_, state) => state.getWebSockets("watch").length);
  await expect.poll(countWatches).toBe(1);
  await update("DELETE FROM members WHERE user_id = ?1", holder.userId);
  await workspace.end({ userId: holder.userId });
  expect([await browser.closed, readEnd(browser)]).toEqual([1008, terminalEnds.access.sentence]);
});

test("ends with the sentence of the shell, or of a refused start", async () => {
  const { browser, program } = await open();
  await expect.poll(() => program.texts.length).toBe(1);
  program.socket.send('{"end":"The shell has ended."}');
  program.socket.close(1000);
  expect([await browser.closed, readEnd(browser)]).toEqual([1000, "The shell has ended."]);
  const refused = await open({ refusal: refuse("SERVICE_UNAVAILABLE", "No room.") });
  expect([await refused.browser.closed, readEnd(refused.browser)]).toEqual([1013, "No room."]);
});

describe("memory is bounded", () => {
  const chunk = new Uint8Array(64 * 1_024);

  test("a sandbox that sends on without being read is cut off", async () => {
    const { browser, program } = await open();
    await expect.poll(() => program.texts.length).toBe(1);
    for (let sent = 0; sent < terminalUnreadBytes + 4 * chunk.length; sent += chunk.length) program.socket.send(chunk);
    expect([await browser.closed, readEnd(browser)]).toEqual([1009, terminalEnds.output.sentence]);
    expect(await program.closed).toBe(1000);
  });

  test("output that is read continues without end", async () => {
    const { browser, program } = await open();
    await expect.poll(() => program.texts.length).toBe(1);
    for (let total = chunk.length; total <= 4 * terminalUnreadBytes; total += chunk.length) {
      program.socket.send(chunk);
      browser.socket.send(JSON.stringify({ read: total }));
      await expect.poll(() => program.texts.at(-1)).toBe(JSON.stringify({ read: total }));
    }
    expect(browser.socket.readyState).toBe(WebSocket.OPEN);
    browser.socket.close(1000);
  });

  test.each([false, true])("input that no shell takes ends the terminal, while it starts: %s", async (isSlow) => {
    const { browser } = await open({ isSlow });
    for (let sent = 0; sent <= terminalUntakenBytes; sent += chunk.length) browser.socket.send(chunk);
    expect([await browser.closed, readEnd(browser)]).toEqual([1009, terminalEnds.input.sentence]);
  });

  test("input that a shell takes continues without end", async () => {
    const { browser, program } = await open();
    await expect.poll(() => program.texts.length).toBe(1);
    for (let total = chunk.length; total <= 2 * terminalUntakenBytes; total += chunk.length) {
      browser.socket.send(chunk);
      await expect.poll(() => program.bytes.length).toBe(total / chunk.length);
      program.socket.send(JSON.stringify({ taken: total }));
    }
    browser.socket.send(encode("x"));
    await expect.poll(() => program.text().at(-1)).toBe("x");
    browser.socket.close(1000);
  });
});

describe("in time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  const ends: [promise: string, sql: string, by: "userId" | "keyId" | "sessionId", end: keyof typeof terminalEnds][] = [
    ["its member has left", "DELETE FROM members WHERE user_id = ?1", "userId", "access"],
    ["its member is suspended", "UPDATE users SET suspended_at = 1 WHERE id = ?1", "userId", "access"],
    ["its browser session has ended", "DELETE FROM keys WHERE id = ?1", "keyId", "access"],
    ["its browser session has expired", "UPDATE keys SET expires_at = 1 WHERE id = ?1", "keyId", "access"],
    ["its session is archived", "UPDATE sessions SET status = 'archived' WHERE id = ?1", "sessionId", "session"],
    ["its session is deleted", "DELETE FROM sessions WHERE id = ?1", "sessionId", "access"],
    ["its session moved", "UPDATE sessions SET sandbox_key = 'other' WHERE id = ?1", "sessionId", "session"],
  ];
  test.for(ends)("ends because %s", async ([, sql, by, end]) => {
    const { browser, program, holder, update } = await open();
    await vi.waitFor(() => expect(program.texts.length).toBe(1));
    await update(sql, holder[by]);
    await vi.advanceTimersByTimeAsync(lookEveryMs);
    expect([await browser.closed, readEnd(browser)]).toEqual([terminalEnds[end].code, terminalEnds[end].sentence]);
    expect(await program.closed).toBe(1000);
  });

  test("counts as a look while somebody types every few hours, and then ends", async () => {
    const { browser, program, decided } = await open();
    await vi.waitFor(() => expect(program.texts.length).toBe(1));
    const wait = async () => {
      vi.setSystemTime(Date.now() + terminalUntypedMs - lookEveryMs - 1_000);
      const before = program.texts.length;
      decided.length = 0;
      await vi.advanceTimersByTimeAsync(lookEveryMs);
      await vi.waitFor(() => expect(program.texts.length).toBe(before + 1));
      expect(decided).toEqual([recordView]);
    };
    await wait();
    browser.socket.send(encode("x"));
    await vi.waitFor(() => expect(program.text()).toBe("x"));
    await wait();
    vi.setSystemTime(Date.now() + 1_001);
    await vi.advanceTimersByTimeAsync(lookEveryMs);
    expect([await browser.closed, readEnd(browser)]).toEqual([1000, terminalEnds.untyped.sentence]);
  });
});
