// Reading marketplaces: good and hostile ones, what is fetched again, and what a dead Worker leaves
// to the next. The code host is a list of responses by path.
import { env } from "cloudflare:workers";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import {
  listEnabledPlugins,
  listOfferedPlugins,
  recordInstall,
  switchPlugin,
} from "../../../src/plugin/queries/plugins.ts";
import { refreshMarketplaces } from "../../../src/plugin/refresh.ts";
import { marketplaceRefreshMs, marketplaceRetryMs } from "../../../src/rules/limits.ts";
import { captureLog, type LogLine } from "../support/captured-log.ts";
import { bytes, createTar, type Files, refs } from "../support/served-archives.ts";
import { stepping } from "../support/stepping.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const host = "https://host.test";
const createSha = (letter: string) => letter.repeat(40);
type Answer = () => Response | Promise<Response>;

let answers: Map<string, Answer>;
let asked: string[];
let log: LogLine[];
let market: string;
let now: number;
beforeEach(async () => {
  answers = new Map();
  asked = [];
  market = `m${crypto.randomUUID().slice(0, 8)}`;
  now = 1_000_000_000_000;
  log = captureLog();
  await env.DB.batch(
    ["marketplaces", "plugins", "plugin_choices"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
});

const refresh = (
  settings: unknown = [{ provider: "anthropic", repository: "acme/market" }],
  step: () => void = () => {},
) =>
  sweepWhole(
    refreshMarketplaces,
    {
      DB: stepping(env.DB, step),
      STORE: stepping(env.STORE, step),
      CODE_HOST_GIT_URL: host,
      MARKETPLACES: JSON.stringify(settings),
      fetch: async (input) => {
        const url = String(input instanceof Request ? input.url : input);
        step();
        asked.push(url.replace(host, ""));
        return (await answers.get(url.replace(host, ""))?.()) ?? new Response("", { status: 404 });
      },
    },
    now,
  );

/** Makes the host serve a repository. */
async function serve(repository: string, sha: string, files: Files): Promise<void> {
  answers.set(`/${repository}.git/info/refs?service=git-upload-pack`, refs(sha));
  answers.set(`/${repository}/archive/${sha}.tar.gz`, bytes(gzipSync(await createTar(files))));
}

const manifest = (plugins: unknown[]) => ({
  ".claude-plugin/marketplace.json": JSON.stringify({ name: market, plugins }),
});
const command = "---\ndescription: Goes.\n---\nGo.";
/** Makes the host serve a marketplace with one plugin. */
const serveOne = (letter: string, name: string) =>
  serve("acme/market", createSha(letter), { ...manifest([{ name, source: "./p" }]), "p/commands/go.md": command });
const listed = async (provider: "anthropic" | "openai" | null = null, userId = "u") =>
  (await listOfferedPlugins(env.DB, { userId, provider })).offered;
const offered = async () => (await listed()).map(({ name }) => name);
const logged = () => log.map(({ error }) => error).join("\n");
test("plugins of the marketplace and of a second repository are offered, and their files are stored", async () => {
  await serve("acme/market", createSha("a"), {
    ...manifest([
      { name: "one", source: "./plugins/one", category: "c" },
      { name: "two", source: { source: "github", repo: "acme/two", sha: createSha("b") } },
    ]),
    "plugins/one/commands/go.md": command,
    "plugins/oneself/commands/no.md": command,
  });
  await serve("acme/two", createSha("b"), {
    "commands/go.md": command,
    ".claude-plugin/plugin.json": '{"version":"3"}',
  });
  await refresh();
  const [one, two] = await listed("anthropic");
  expect(one).toMatchObject({ id: `one@${market}`, category: "c", components: { commands: ["go"] } });
  expect(two).toMatchObject({ id: `two@${market}`, version: "3" });
  const body = await env.DB.prepare("SELECT body_key FROM plugins WHERE id = ?1")
    .bind(one?.id)
    .first<string>("body_key");
  expect(await env.STORE.head(body ?? "")).not.toBe(null);
  expect(await listed("openai")).toEqual([]);
});

test("unchanged repositories are not fetched again: one small request a day", async () => {
  await serveOne("a", "one");
  await refresh();
  asked = [];
  await refresh();
  expect(asked).toEqual([]);
  now += marketplaceRefreshMs;
  await refresh();
  expect(asked).toEqual(["/acme/market.git/info/refs?service=git-upload-pack"]);
  await serveOne("c", "two");
  now += marketplaceRefreshMs;
  await refresh();
  expect(await offered()).toEqual(["two"]);
  await refresh([]);
  expect(await offered()).toEqual([]);
});

const badPlugins: [what: string, files: Files, why: RegExp][] = [
  ["a link", { "bad/commands/go.md": command, "bad/x": { link: "/etc/passwd" } }, /link/],
  ["a file too long", { "bad/commands/go.md": command, "bad/x": "x".repeat(1_048_577) }, /longer/],
  ["too many files", Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`bad/${at}`, ""])), /more than 500/],
  ["an MCP server", { "bad/commands/go.md": command, "bad/.mcp.json": "{}" }, /MCP/],
  ["no files at all", {}, /no skill/],
];
test.each(badPlugins)("a plugin with %s is not offered, and the others are", async (_, files, why) => {
  const plugins = ["aa", "bad", "good"].map((name) => ({ name, source: `./${name}` }));
  await serve("acme/market", createSha("a"), {
    ...manifest(plugins),
    "aa/commands/go.md": command,
    ...files,
    "good/commands/go.md": command,
  });
  await refresh();
  expect(await offered()).toEqual(["aa", "good"]);
  expect(logged()).toMatch(why);
});

const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)) });
const redirect =
  (to: string): Answer =>
  () =>
    new Response(null, { status: 302, headers: { location: to } });
const badArchives: [what: string, answer: Answer | (() => Promise<Answer>), why: RegExp][] = [
  ["is none", () => new Response("no archive"), /archive is none/],
  ["leads out of itself", async () => bytes(gzipSync(await createTar({ "../x": "" }))), /leads out/],
  ["is absolute", async () => bytes(gzipSync(await createTar({ x: "" }, "/"))), /leads out/],
  ["never ends", () => new Response(endless()), /archive is none/],
  ["is gone", () => new Response("", { status: 404 }), /answered 404/],
  ["is on another host", redirect("https://evil.test/x"), /another host/],
  ["is on loopback", redirect("http://127.0.0.1:8787/x"), /another host/],
  ["is on another port", redirect("https://host.test:8443/x"), /another host/],
  ["asks for a user", redirect("https://u:p@host.test/x"), /another host/],
  ["leads round and round", redirect("/acme/bad/archive/round"), /on and on/],
];
test.each(badArchives)(
  "plugins of a repository whose archive %s are not offered, and the others are",
  async (_, answer, why) => {
    await serve("acme/market", createSha("a"), {
      ...manifest([
        { name: "bad", source: { source: "github", repo: "acme/bad", sha: createSha("d") } },
        { name: "good", source: "./good" },
      ]),
      "good/commands/go.md": command,
    });
    const made = await answer();
    const bad = typeof made === "function" ? made : (answer as Answer);
    answers.set(`/acme/bad/archive/${createSha("d")}.tar.gz`, bad);
    answers.set("/acme/bad/archive/round", bad);
    await refresh();
    expect(await offered()).toEqual(["good"]);
    expect(logged()).toMatch(why);
    expect(asked.filter((url) => url.includes("evil") || url.includes("127.0.0.1") || url.includes("8443"))).toEqual(
      [],
    );
  },
);

test("an archive may be on the archive host of the code host", async () => {
  await serveOne("a", "one");
  const path = `/acme/market/archive/${createSha("a")}.tar.gz`;
  const archive = answers.get(path);
  answers.set(path, redirect("https://codeload.host.test/it"));
  answers.set("https://codeload.host.test/it", archive ?? redirect("/"));
  await refresh();
  expect(await offered()).toEqual(["one"]);
});

test("a marketplace that cannot be read stays as it was, and is read again in an hour", async () => {
  await serveOne("a", "one");
  await refresh();
  now += marketplaceRefreshMs;
  answers.set("/acme/market.git/info/refs?service=git-upload-pack", () => new Response("", { status: 503 }));
  await refresh();
  expect(await offered()).toEqual(["one"]);
  asked = [];
  now += marketplaceRetryMs;
  await refresh();
  expect(asked).toHaveLength(1);
});

test("the work of a dead Worker is continued by another one when the lease is over, and not before", async () => {
  await serveOne("a", "one");
  await refresh();
  // As after a death between the manifest and the plugin's files.
  await env.DB.prepare("UPDATE plugins SET body_key = NULL, read_commit = NULL, due_at = 0, leased_until = ?1")
    .bind(now + 1)
    .run();
  await refresh();
  expect(await offered()).toEqual([]);
  now += 1;
  await Promise.all([refresh(), refresh()]);
  expect(await offered()).toEqual(["one"]);
  expect(asked.filter((path) => path.endsWith(".tar.gz"))).toHaveLength(3);
});

test("the work of a Worker that dies at any step is finished by another one", async () => {
  const source = { source: "github", repo: "acme/two" };
  await serve("acme/market", createSha("a"), {
    ...manifest([
      { name: "one", source: "./one" },
      { name: "bad", source: "./bad" },
      { name: "two", source },
    ]),
    "one/commands/go.md": command,
    "bad/.mcp.json": "{}",
  });
  await serve("acme/two", createSha("b"), { "commands/go.md": command });
  let diesAt = 0;
  for (let isDead = true; isDead; ) {
    diesAt += 1;
    let steps = 0;
    isDead = false;
    const step = () => {
      steps += 1;
      isDead ||= steps === diesAt;
      if (isDead) throw new Error("The Worker is dead.");
    };
    await refresh(undefined, step).catch(() => {});
    // The leases of the dead one are over.
    now += marketplaceRetryMs;
    await refresh();
    expect(await offered(), `after a death at step ${diesAt}`).toEqual(["one", "two"]);
    await env.DB.batch(["marketplaces", "plugins"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  }
  expect(diesAt).toBeGreaterThan(15);
});

test("a plugin is on for a person while it is offered and they are a member; a failure is cleared by a success or a switch", async () => {
  const user = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)").bind(user),
    env.DB.prepare("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'A', ?1, 'team', 0)").bind(
      user,
    ),
    env.DB.prepare("INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?1, 'owner', 0)").bind(
      user,
    ),
  ]);
  await serveOne("a", "one");
  await refresh();
  const one = { userId: user, pluginId: `one@${market}` };
  const on = async () => (await listEnabledPlugins(env.DB, user, user, "anthropic").all()).map(({ name }) => name);
  const failure = async () => (await listed(null, user))[0]?.failure;
  expect([await switchPlugin(env.DB, { ...one, enabled: true }, 1), await on()]).toEqual([true, ["one"]]);
  expect(await listEnabledPlugins(env.DB, user, user, "openai").all()).toEqual([]);
  const failed = { ...one, workspaceId: user, sessionId: "s" };
  await recordInstall(env.DB, failed, "It broke.", 5);
  expect(await failure()).toMatchObject({ message: "It broke.", failedAt: 5, sessionId: "s" });
  const failureFor = async (onlyWorkspaceId: string) =>
    (await listOfferedPlugins(env.DB, { userId: user, provider: null, onlyWorkspaceId })).offered[0]?.failure;
  expect([await failureFor(user), await failureFor("another")]).toEqual([await failure(), null]);
  await recordInstall(env.DB, failed, null, 6);
  expect(await failure()).toBe(null);
  await recordInstall(env.DB, failed, "Again.", 7);
  await switchPlugin(env.DB, { ...one, enabled: true }, 8);
  expect(await failure()).toBe(null);
  await serve("acme/market", createSha("e"), manifest([]));
  now += marketplaceRefreshMs;
  await refresh();
  expect(await on()).toEqual([]);
  expect(await switchPlugin(env.DB, { ...one, enabled: true }, 9)).toBe(false);
  expect(await switchPlugin(env.DB, { ...one, enabled: false }, 9)).toBe(true);
  expect(await switchPlugin(env.DB, { ...one, enabled: false }, 9)).toBe(false);
});

test("two plugins of one folder have the parts that their entries name; a changed entry is read again", async () => {
  const createSkill = (name: string) => `---\nname: ${name}\ndescription: D\n---\nDo ${name}.`;
  const files = { "skills/pdf/SKILL.md": createSkill("pdf"), "skills/music/SKILL.md": createSkill("music") };
  const other = { source: "github", repo: "acme/skills", sha: createSha("e") };
  const named = (name: string, skill: string) => ({
    name,
    source: other,
    strict: false,
    skills: [`./skills/${skill}`],
  });
  await serve("acme/skills", createSha("e"), files);
  await serve("acme/market", createSha("a"), manifest([named("documents", "pdf"), named("tunes", "music")]));
  await refresh();
  const skills = async () => (await listed()).map(({ name, components }) => [name, components.skills]);
  expect(await skills()).toEqual([
    ["documents", ["pdf"]],
    ["tunes", ["music"]],
  ]);
  await serve("acme/market", createSha("b"), manifest([named("documents", "music"), named("tunes", "music")]));
  now += marketplaceRefreshMs;
  await refresh();
  expect(await skills()).toEqual([
    ["documents", ["music"]],
    ["tunes", ["music"]],
  ]);
});
