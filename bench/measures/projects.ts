// The settings and the list of projects, and a new project, compared with bare routes of the same
// shape. The time of the stand-in code host is measured with the same requests and subtracted.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPerson } from "../../practice/code-host/people.ts";
import { demoRepository } from "../../practice/seed.ts";
import type { Bare } from "../lib/bare.ts";
import { createHttpClient, type Reply } from "../lib/http-client.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";

const bar = 1.5;
const login = "olive-owner";

/** Measures reads and writes. Deletes the projects that it creates. */
export async function measureProjects(
  { world, stateDir, product }: Bench,
  bare: Bare,
  rounds: Rounds,
): Promise<Finding[]> {
  const client = createHttpClient(world.baseUrl, product.headers);
  const { codeHostToken } = JSON.parse(await readFile(join(stateDir, "secrets.json"), "utf8"));
  const codeHost = createHttpClient(world.forgeUrl, { authorization: `Bearer ${codeHostToken}` });
  await connectOwner(world.database, world.users.owner.id);
  const settingsPath = `/api/projects/${world.projectId}/settings`;
  const listPath = "/api/projects?pageSize=100";
  const { data: settings } = JSON.parse((await client.get(settingsPath)).text);
  const text = JSON.stringify(settings);
  const { id } = JSON.parse((await bare.notes.make(text)).text).data;
  const made: string[] = [];

  async function make(): Promise<Reply> {
    const draft = { orgId: world.workspaceId, name: "Measured", repository: demoRepository };
    const reply = await client.post("/api/projects", draft);
    made.push(JSON.parse(reply.text).data.id);
    return reply;
  }
  /**
   * The requests for a new project, two at a time: the repository and the app's installation there,
   * the person's permission and the branch.
   */
  async function askCodeHost(): Promise<number> {
    const itself = `/repos/${demoRepository}`;
    const startedAt = performance.now();
    await Promise.all([codeHost.get(itself), codeHost.get(itself)]);
    await Promise.all([
      codeHost.get(`${itself}/collaborators/${login}/permission`),
      codeHost.get(`${itself}/branches/main`),
    ]);
    return performance.now() - startedAt;
  }
  try {
    const samples = await measureSideBySide(rounds, {
      read: async () => (await client.get(settingsPath)).ms,
      bareRead: async () => (await bare.notes.read(id)).ms,
      write: async () => (await client.put(settingsPath, settings)).ms,
      bareWrite: async () => (await bare.notes.write(id, text)).ms,
      list: async () => (await client.get(listPath)).ms,
      bareList: async () => (await bare.notes.list()).ms,
      make: async () => (await make()).ms,
      bareMake: async () => (await bare.notes.make(text)).ms,
      codeHost: askCodeHost,
    });
    const codeHostMs = median(samples.codeHost);
    const own = samples.make.map((ms) => ms - codeHostMs);
    const note = `${codeHostMs.toFixed(1)} ms of the practice code host subtracted`;
    return [
      toComparedFinding("project settings read, against a bare GET", samples.read, samples.bareRead, bar),
      toComparedFinding("project settings written, against a bare PUT", samples.write, samples.bareWrite, bar),
      toComparedFinding("projects listed, against a bare list", samples.list, samples.bareList, bar),
      toComparedFinding("project made, against a bare POST", own, samples.bareMake, bar, note),
    ];
  } finally {
    for (const project of made) await client.delete(`/api/projects/${project}`);
    client.close();
    codeHost.close();
  }
}

/** Connects the owner's account at the code host, which a person needs to create projects. */
export async function connectOwner(database: D1Database, userId: string): Promise<void> {
  const { id, name, email } = findPerson(login) ?? { id: 0, name: login, email: "" };
  await database
    .prepare(
      `INSERT OR IGNORE INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, '', 0)`,
    )
    .bind(userId, String(id), login, name, email)
    .run();
}
