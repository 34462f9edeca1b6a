// The demo world: four users, two workspaces with keys of the practice provider, and a project with
// a small web app.
import { and, eq, ne, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Role } from "../src/access/rules/membership.ts";
import { users } from "../src/account/tables.ts";
import { keys } from "../src/key/tables.ts";
import { getKeyHash } from "../src/lib/base64url.ts";
import { createId, createName } from "../src/lib/ids.ts";
import { providerIds } from "../src/model/rules/provider.ts";
import type { ProjectSettings } from "../src/project/rules/settings.ts";
import { sealSettings } from "../src/project/settings.ts";
import { projects } from "../src/project/tables.ts";
import { sealKey } from "../src/provider-login/credentials.ts";
import { getWorkspaceLogin } from "../src/provider-login/rules/login.ts";
import { providerLogins } from "../src/provider-login/tables.ts";
import { sandboxKeyCharacters } from "../src/rules/limits.ts";
import { createSandboxKey } from "../src/sandbox/rules/sandbox-key.ts";
import type { PlanName } from "../src/workspace/rules/billing-plan.ts";
import { members, workspaces } from "../src/workspace/tables.ts";
import { createPracticeKey } from "./real-providers.ts";
import { type Person, people, type Secrets } from "./secrets.ts";

export const demoRepository = "acme/demo-app";
const demoName = "Demo app";

const settings: ProjectSettings = {
  setup: [],
  services: [
    { name: "web", command: "node server.js", endpoints: [{ port: 3000, public: true, healthPath: "/health" }] },
  ],
  env: {},
};

const demo = { id: "ws_demo", name: "Acme", slug: "acme", plan: "team" as const };
const elsewhere = { id: "ws_elsewhere", name: "Elsewhere", slug: "elsewhere", plan: "free" as const };

const seats: Record<Person, { name: string; workspaceId: string; role: Role }> = {
  owner: { name: "Olive Owner", workspaceId: demo.id, role: "owner" },
  admin: { name: "Adam Admin", workspaceId: demo.id, role: "admin" },
  member: { name: "Mia Member", workspaceId: demo.id, role: "member" },
  outsider: { name: "Otto Outsider", workspaceId: elsewhere.id, role: "owner" },
};

export interface DemoWorld {
  workspaceId: string;
  projectId: string;
  users: Record<Person, { id: string; apiKey: string }>;
}

/**
 * Writes the demo world into an empty database in one transaction, or reads it from a database that
 * has it. Deleted parts are written again. The plan is set on the demo workspace. Unless it is
 * live, the demo project still awaits its first Deploy.
 */
export async function seed(
  database: D1Database,
  secrets: Secrets,
  { plan = null, isLive = true }: { plan?: PlanName | null; isLive?: boolean } = {},
): Promise<DemoWorld> {
  const db = drizzle(database, { casing: "snake_case" });
  // A user may have renamed the project, or its repository at the code host.
  const isDemo = or(eq(projects.repository, demoRepository), eq(projects.name, demoName));
  const ofDemo = and(eq(projects.workspaceId, demo.id), isDemo);
  const existing = await db.select().from(projects).where(ofDemo).orderBy(projects.createdAt).get();
  const projectId = existing?.id ?? createId();
  if (!existing) await plant(db, { projectId, isLive }, secrets);
  if (plan !== null) await db.update(workspaces).set({ plan }).where(eq(workspaces.id, demo.id));
  const entry = (person: Person) => [person, { id: userId(person), apiKey: secrets.apiKeys[person] }] as const;
  const [owner, admin, member, outsider] = people.map(entry).map(([, user]) => user);
  if (!owner || !admin || !member || !outsider) throw new Error("the demo world lacks a user");
  return { workspaceId: demo.id, projectId, users: { owner, admin, member, outsider } };
}

async function plant(
  db: ReturnType<typeof drizzle>,
  { projectId, isLive }: { projectId: string; isLive: boolean },
  secrets: Secrets,
): Promise<void> {
  const now = Date.now();
  const env = { SEALING_KEYS: secrets.sealingKeys };
  const credentials = await Promise.all(
    [demo.id, elsewhere.id].flatMap((workspaceId) =>
      providerIds.map(async (provider) => {
        const { owner, ...login } = getWorkspaceLogin(workspaceId, provider);
        const key = await sealKey(env, { owner, ...login }, createPracticeKey(provider, createName(20)), now);
        return { ...login, ...key, ownerType: owner.type, ownerId: owner.id, place: 0 };
      }),
    ),
  );
  const personalKeys = await Promise.all(
    people.map(async (person) => ({
      hash: await getKeyHash(secrets.apiKeys[person]),
      id: createId(),
      kind: "api-key" as const,
      userId: userId(person),
      name: "demo",
      lastFour: secrets.apiKeys[person].slice(-4),
      createdAt: now,
    })),
  );
  const planted = await Promise.all(
    [demo, elsewhere].map(async (one) => ({ ...one, slug: await getFreeSlug(db, one), createdAt: now })),
  );
  await db.batch([
    db.insert(workspaces).values(planted).onConflictDoNothing(),
    db
      .insert(users)
      .values(
        people.map((person) => ({
          id: userId(person),
          name: seats[person].name,
          email: `${person}@example.com`,
          createdAt: now,
        })),
      )
      .onConflictDoNothing(),
    db
      .insert(members)
      .values(
        people.map((person) => ({
          userId: userId(person),
          workspaceId: seats[person].workspaceId,
          role: seats[person].role,
          joinedAt: now,
        })),
      )
      .onConflictDoNothing(),
    db.insert(keys).values(personalKeys).onConflictDoNothing(),
    // One statement has room for the columns of only a few rows.
    ...credentials.map((credential) => db.insert(providerLogins).values(credential).onConflictDoNothing()),
    db.insert(projects).values({
      ...(await projectRow(projectId, demoProject, secrets, now)),
      ...(!isLive && { deployStatus: "idle", isLive }),
    }),
  ]);
}

/** A project of the demo workspace. */
export interface SeededProject {
  name: string;
  repository: string;
  targetBranch: string;
  settings: ProjectSettings;
}

const demoProject = { name: demoName, repository: demoRepository, targetBranch: "main", settings };

/** The id of a repository's project in the demo workspace; null if there is none. */
export async function findSeeded(database: D1Database, repository: string): Promise<string | null> {
  const db = drizzle(database, { casing: "snake_case" });
  const ofRepository = and(eq(projects.workspaceId, demo.id), eq(projects.repository, repository));
  const existing = await db.select().from(projects).where(ofRepository).orderBy(projects.createdAt).get();
  return existing?.id ?? null;
}

/** Adds a project to the demo workspace. Returns its id. */
export async function seedProject(database: D1Database, project: SeededProject, secrets: Secrets): Promise<string> {
  const now = Date.now();
  const id = createId(now);
  const db = drizzle(database, { casing: "snake_case" });
  await db.insert(projects).values(await projectRow(id, project, secrets, now));
  return id;
}

async function projectRow(id: string, { settings, ...project }: SeededProject, secrets: Secrets, now: number) {
  return {
    id,
    workspaceId: demo.id,
    ...project,
    deployStatus: "deployed",
    isLive: true,
    ...(await sealSettings(secrets.sealingKeys, { id, settings })),
    mainSandboxKey: createSandboxKey("main", createName(sandboxKeyCharacters)),
    createdAt: now,
    updatedAt: now,
  };
}

/** The slug of a workspace; a different one if a user's workspace has taken it. */
async function getFreeSlug(
  db: ReturnType<typeof drizzle>,
  { id, slug }: { id: string; slug: string },
): Promise<string> {
  const holder = await db
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.slug, slug), ne(workspaces.id, id)))
    .get();
  return holder ? `${slug}-${createName(4)}` : slug;
}

function userId(person: Person): string {
  return `usr_${person}`;
}
