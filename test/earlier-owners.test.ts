// What was written before turns and sandboxes had owners reads as a session's: tokens that a
// sandbox still shows, and rows.
import { expect, it } from "vitest";
import { sign } from "../src/lib/signing.ts";
import { issueToken, readToken, type SandboxToken } from "../src/sandbox/token.ts";
import { migrated } from "./support/migrated.ts";

const now = Date.UTC(2030, 0, 1);
const keys = { SIGNING_KEY: "key" };
const shown = (token: string) => new Headers({ authorization: `Bearer ${token}` });
const ofTurn = { workspaceId: "w", projectId: "p", sandboxKey: "s", generation: 2, branch: "svc/a", turnId: "turn-1" };

it("a token of an earlier version belongs to its session, and may push", async () => {
  const before = await sign(keys, "pass", { ...ofTurn, sessionId: "session-1" }, now + 1);
  const owner = { type: "session", id: "session-1" };
  expect(await readToken(keys, shown(before), now)).toEqual({ ...ofTurn, owner, git: "push" });
});

it("a current token is read unchanged", async () => {
  const token: SandboxToken = { ...ofTurn, owner: { type: "session", id: "session-1" }, git: "fetch" };
  expect(await readToken(keys, shown(await issueToken(keys, token, now + 1)), now)).toEqual(token);
});

it("a sandbox's record keeps its owner, and is held by a turn of that", () => {
  const owner = '{"workspaceId":"w","projectId":"p","sessionId":"session-1","branch":"svc/a","baseBranch":"main"}';
  const row = (id: number, of: string, turnId: string) =>
    `INSERT INTO sandbox (id, state, generation, owner, secret, turn_id, last_used_at) VALUES (${id}, 'running', 2, ${of}, 's', ${turnId}, 0)`;
  const rows = [row(1, `'${owner}'`, "'turn-1'"), row(2, `'${owner}'`, "NULL"), row(3, "NULL", "NULL")];
  const read = migrated("sandbox", "0004_owners.sql", rows).prepare("SELECT owner, holder FROM sandbox ORDER BY id");
  const after = {
    workspaceId: "w",
    projectId: "p",
    branch: "svc/a",
    baseBranch: "main",
    type: "session",
    id: "session-1",
  };
  const holder = { turnId: "turn-1", owner: { type: "session", id: "session-1" } };
  const records = read.all().map((record) => [record.owner, record.holder].map((json) => JSON.parse(String(json))));
  expect(records).toEqual([
    [after, holder],
    [after, null],
    [null, null],
  ]);
});

it("slots and turns belong to sessions", () => {
  const database = migrated("d1", "0012_owners.sql", [
    "INSERT INTO sandbox_slots (sandbox_key, workspace_id, session_id, state, claimed_at) VALUES ('s', 'w', 'session-1', 'running', 0)",
    "INSERT INTO jobs (id, session_id, number, status, created_at) VALUES ('turn-1', 'session-1', 1, 'running', 0)",
  ]);
  for (const table of ["sandbox_slots", "jobs"]) {
    const row = database.prepare(`SELECT owner_type, owner_id FROM ${table}`).get();
    expect({ ...row }).toEqual({ owner_type: "session", owner_id: "session-1" });
  }
});
