// `npm run deploy` against a stand-in of the platform: the right calls in the right order, nothing
// twice, and nothing secret in its output.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareImage } from "../../operate/cloudflare/image.ts";
import { keyFile, loadKeys } from "../../operate/cloudflare/keys.ts";
import type { createTools } from "../../operate/cloudflare/tools.ts";
import { Stop } from "../../operate/lib/exit.ts";
import { createDocumentObject } from "../../scripts/worker-source.ts";
import { type Checkout, clientSecret, createLocalTools, type Deployment, openCheckout, token } from "./checkout.ts";
import { accountId, type StandIn } from "./platform-stand-in.ts";
import { createStandInTools } from "./tools-stand-in.ts";

let checkout: Checkout;
let root: string;
let platform: StandIn;
const run: Checkout["run"] = (more) => checkout.run(more);
beforeEach(async () => {
  checkout = await openCheckout();
  ({ root, platform } = checkout);
});
afterEach(() => checkout.close());

const created = (changes: string[]) =>
  changes.map((change) => change.replace("/client/v4/", "/").replace("accounts/ACCOUNT/", ""));
const sandboxImage = /^registry\.cloudflare\.com\/0123456789abcdef0123456789abcdef\/switchyard-sandbox:[0-9a-f]{16}$/;

test("wrangler deploys from an empty account, and the second time only the Worker", async () => {
  await checkout.unpin();
  const { key: documentKey } = await createDocumentObject();
  const first = await run({ openTools: createLocalTools, prepareImage });
  expect({ ended: first.ended, unknown: platform.unknown }).toEqual({ ended: "deployed", unknown: [] });
  const order = [
    ...["POST /d1/database", "POST /r2/buckets", "POST /zones/zone-previews/dns_records"],
    "POST /containers/registries/registry.cloudflare.com/credentials",
    `PUT /r2/buckets/switchyard/objects/${documentKey}`,
    ...["PUT /workers/scripts/switchyard", "POST /containers/applications"],
  ];
  const asked = created(platform.changes);
  expect(asked.filter((change) => order.includes(change))).toEqual(order);
  const { databases, secrets, image } = platform.account;
  const applied = databases[0]?.data.prepare("SELECT count(*) AS n FROM d1_migrations").get();
  expect(applied?.n).toBe((await readdir("migrations/d1")).filter((name) => name.endsWith(".sql")).length);
  const names = ["CODE_HOST_CLIENT_SECRET", "DEPLOYMENT_KEY", "SEALING_KEYS", "SIGNING_KEY"];
  expect(Object.keys(secrets ?? {}).sort()).toEqual(names);
  expect(secrets?.SEALING_KEYS).toMatch(/^k[0-9a-f]{8}:[\w-]{43}$/);
  expect(first.text).toMatch(/The base image is node:22\.[\w.-]+@sha256:0+7\. It is not pinned: /);
  expect(image).toMatch(sandboxImage);
  expect(platform.account.workers.get("switchyard")?.program).toBe(image?.split(":").at(-1));
  expect(platform.account.workers.get("switchyard")?.message).toMatch(/^Switchyard \d/);
  expect(platform.account.workers.get("switchyard")?.documentKey).toBe(documentKey);
  // A page names its script, and the index of the docs their pack, so they come after them.
  expect([...platform.account.objects]).toEqual([
    [`switchyard/${documentKey}`, expect.stringContaining('{"openapi":"3.1.0","info":')],
    ["switchyard/cli/sy.js", "the command line"],
    ["switchyard/console/_sy/index-1a2b.js", "a script"],
    ["switchyard/console/index.html", "the console"],
    [expect.stringMatching(/^switchyard\/docs\/pack-[0-9a-f]{16}$/), "the docs"],
    ["switchyard/docs/index.json", expect.stringContaining('"/docs/":{"at":0,"length":8,"kind":"html"')],
    ["switchyard/deployment/tried-image", image],
  ]);
  const settings = await readFile(join(root, "wrangler.toml"), "utf8");
  expect(settings.split("[env.production]")[1]).toContain(databases[0]?.uuid);
  expect(settings).toContain(`https://${accountId}.r2.cloudflarestorage.com/switchyard`);
  for (const secret of [
    token,
    clientSecret,
    secrets?.SIGNING_KEY ?? "-",
    secrets?.SEALING_KEYS ?? "-",
    secrets?.DEPLOYMENT_KEY ?? "-",
    "registry-password",
  ])
    expect(first.text).not.toContain(secret);

  const kept = { ...secrets };
  const second = await run({ openTools: createLocalTools, prepareImage });
  expect(second.ended).toBe("deployed");
  expect(second.steps.map((step) => step.split(" ")[0])).toEqual([
    "Applying",
    "Saving",
    "Deploying",
    "Asking",
    "Saving",
  ]);
  expect(created(platform.changes).filter((change) => order.includes(change))).toEqual([
    `PUT /r2/buckets/switchyard/objects/${documentKey}`,
    "PUT /workers/scripts/switchyard",
  ]);
  expect(platform.account.secrets).toEqual({
    ...kept,
    DEPLOYMENT_KEY: expect.not.stringContaining(kept.DEPLOYMENT_KEY ?? "-"),
  });
  const docker = (await readFile(join(root, "docker.log"), "utf8")).split("\n");
  expect(docker.filter((command) => ["build", "push"].includes(command))).toEqual(["build", "push"]);

  await writeFile(join(root, "wrangler.toml"), settings.replace("max_instances = 500", "max_instances = 800"));
  const third = await run({ openTools: createLocalTools, prepareImage });
  expect(third.steps[2]).toContain("(max_instances: 500 → 800)");
  expect(created(platform.changes)).toContain("PATCH /containers/applications/app-1");
  expect(platform.account.applications).toMatchObject([{ max_instances: 800, configuration: { image } }]);
  expect(await readFile(join(root, "docker.log"), "utf8")).toBe(docker.join("\n"));
}, 300_000);

test("after a kill before any of its steps, the next run does the rest, and nothing twice", async () => {
  const steps = 10;
  const settings = await readFile(join(root, "wrangler.toml"), "utf8");
  for (let killedAt = 1; killedAt <= steps; killedAt++) {
    await writeFile(join(root, "wrangler.toml"), settings);
    await rm(join(root, keyFile), { force: true });
    await checkout.renew();
    platform = checkout.platform;
    const openedTools = createStandInTools(platform);
    const say = (line: string) => {
      if (line.startsWith(`${killedAt}/`)) throw new Error("killed");
    };
    expect((await run({ say, openTools: openedTools })).ended).toBe("Error: killed");
    const drawn = platform.account.secrets?.SEALING_KEYS ?? loadKeys(root)?.SEALING_KEYS;
    expect((await run({ openTools: openedTools })).ended).toBe("deployed");
    const { databases, buckets, records, secrets, image } = platform.account;
    expect([databases.length, buckets.length, records.length]).toEqual([1, 1, 1]);
    expect(secrets?.SEALING_KEYS).toBe(drawn ?? secrets?.SEALING_KEYS);
    expect(image).toMatch(sandboxImage);
    expect(platform.tools.filter((tool) => tool === "containers build")).toHaveLength(
      killedAt > 6 && killedAt < 9 ? 2 : 1,
    );
  }
}, 60_000);

describe("stops with what to do, before it changes anything", () => {
  const cases: [string, Partial<Deployment>, () => unknown, RegExp][] = [
    ["without a token", { env: { CLOUDFLARE_API_TOKEN: "" } }, () => {}, /Set CLOUDFLARE_API_TOKEN/],
    ["without Docker", {}, () => Object.assign(platform, { hasDocker: false }), /Docker is not reachable/],
    [
      "with a token that may not make a database",
      {},
      () => Object.assign(platform.account, { denied: /d1/ }),
      /Nothing was changed/,
    ],
    [
      "with sealing keys that would seal nothing",
      { env: { SEALING_KEYS: "rubbish" } },
      () => platform.use(),
      /Nothing was changed/,
    ],
    [
      "with a file of a secret that is not there",
      { env: { OPERATOR_KEY_FILE: "/none.key" } },
      () => {},
      /OPERATOR_KEY_FILE names \/none.key, which cannot be read/,
    ],
    ["over a database of an earlier version", {}, () => platform.migrate("0000_start.sql"), /Nothing was changed/],
    ["of a zone that the account lacks", {}, () => void platform.zones.splice(1, 1), /Nothing was changed/],
    ["where credentials could not be unsealed any more", {}, () => platform.use(), /Nothing was changed/],
  ];
  test.each(cases)("%s", async (_, more, arrange, ended) => {
    arrange();
    expect((await run(more)).ended).toMatch(ended);
    expect(platform.changes).toEqual([]);
    expect(platform.tools).toEqual([]);
  });
});

test("a database of an earlier version is named as the reason", async () => {
  platform.migrate("0000_start.sql");
  const { text } = await run();
  expect(text).toContain("WRONG: this version can read the database. The database was made by Switchyard 0.x");
});

test("a database that cannot be created, or a migration that fails, ends it before the Worker is uploaded", async () => {
  platform.account.fails = /d1\/database$/;
  expect((await run()).ended).toMatch(/the platform fails[\s\S]*Step 1 of 11 failed/);
  expect(created(platform.changes)).toEqual(["POST /d1/database"]);
  platform.failing = "d1 migrations";
  const { ended, steps } = await run();
  expect(ended).toContain("d1 migrations failed");
  expect(steps.at(-1)).toMatch(/^Applying/);
  expect(platform.account.secrets).toBeNull();
  platform.failing = null;
  expect((await run()).ended).toBe("deployed");
});

test("of two concurrent runs the second one stops with a message; keys that another machine generated meanwhile are not generated again", async () => {
  const drawn = { SIGNING_KEY: "of another", SEALING_KEYS: "of another" };
  let second: ReturnType<typeof run> | undefined;
  const prepareImage = async () => {
    second = run();
    expect((await second).ended).toContain("Another deployment runs in this folder");
    platform.account.secrets = { ...drawn };
    return "0123456789abcdef";
  };
  expect((await run({ prepareImage })).ended).toBe("deployed");
  expect(platform.account.secrets).toMatchObject(drawn);
});

test("what a killed deployment left is deleted by the next one", async () => {
  await mkdir(join(root, ".deploying"));
  await writeFile(join(root, ".deploying/process"), "4194305");
  await writeFile(join(root, ".deploying/secrets.json"), "{}");
  expect((await run()).ended).toBe("deployed");
  expect(existsSync(join(root, ".deploying"))).toBe(false);
});

test("a service that does not respond is named", async () => {
  expect((await run({ answers: async () => false })).ended).toContain("does not answer at https://api.trains.test");
});

test("images that neither this Worker nor the previous one runs are deleted; an image that cannot be deleted stays, and the deployment succeeds", async () => {
  const images = ["a".repeat(16), "b".repeat(16), "c".repeat(16)];
  const stuck = "switchyard-sandbox:stuck";
  platform.account.images.push(stuck);
  const openListing: typeof createTools = (...given) => {
    const tools = createStandInTools(platform)(...given);
    return {
      ...tools,
      readWrangler: async (...args) => (args[3] === stuck ? null : await tools.readWrangler(...args)),
    };
  };
  for (const [place, image] of images.entries()) {
    const { ended, text } = await run({ openTools: openListing, prepareImage: async () => image });
    expect(ended).toBe("deployed");
    expect(text.includes(`${stuck} cannot be deleted. It stays.`)).toBe(place > 0);
  }
  expect(platform.account.images).toEqual([
    stuck,
    `switchyard-sandbox:${images[1]}`,
    `switchyard-sandbox:${images[2]}`,
  ]);
});

test("a sandbox starts on a new image, with the key of this deployment, before older images are deleted", async () => {
  const tags = ["a", "b", "c"].map((letter) => letter.repeat(16));
  const tried: unknown[] = [];
  const trySandbox: Deployment["trySandbox"] = async ({ address, key, tag }) => {
    tried.push([address, key === platform.account.secrets?.DEPLOYMENT_KEY, tag, platform.account.images.length]);
    if (tag === tags[2]) throw new Stop("No sandbox of the new image runs.");
  };
  for (const tag of tags.slice(0, 2))
    expect((await run({ trySandbox, prepareImage: async () => tag })).ended).toBe("deployed");
  const { ended } = await run({ trySandbox, prepareImage: async () => tags[2] ?? "" });
  expect(ended).toContain("No sandbox of the new image runs.");
  expect(platform.account.images).toHaveLength(3);
  const address = "https://api.trains.test";
  expect(tried).toEqual(tags.map((tag, index) => [address, true, tag, index + 1]));
});

test.each<[string, "whole" | "killed", number]>([
  ["failed", "whole", 1],
  ["was killed", "killed", 1],
  ["failed twice", "whole", 2],
])("a trial that %s is made again, and until one succeeds the image before stays", async (_, how, times) => {
  const [before = "", next = ""] = ["a", "b"].map((letter) => letter.repeat(16));
  await run({ prepareImage: async () => before });
  const images = () => platform.account.images;
  const fails = async () => {
    throw how === "killed" ? new Error("killed") : new Stop("No sandbox of the new image runs.");
  };
  for (let time = 0; time < times; time++) {
    const { ended, text } = await run({ trySandbox: fails, prepareImage: async () => next });
    expect([ended, text]).toEqual([
      expect.stringMatching(/killed|No sandbox/),
      expect.not.stringContaining("Deployed"),
    ]);
  }
  const tried: string[] = [];
  const trySandbox: Deployment["trySandbox"] = async ({ tag, say }) => {
    tried.push(tag);
    say("A sandbox started.");
  };
  const { ended, text } = await run({ trySandbox, prepareImage: async () => next });
  expect([ended, tried]).toEqual(["deployed", [next]]);
  expect(text).toMatch(/A sandbox started\.[\s\S]*Deployed: /);
  expect(images()).toEqual([`switchyard-sandbox:${before}`, `switchyard-sandbox:${next}`]);
  expect((await run({ trySandbox, prepareImage: async () => next })).ended).toBe("deployed");
  expect(tried).toEqual([next]);
});

test("an image on which no sandbox started is not what a rollback needs", async () => {
  const [good = "", broken = "", fixed = ""] = ["a", "b", "c"].map((letter) => letter.repeat(16));
  await run({ prepareImage: async () => good });
  const fails = () => Promise.reject(new Stop("No sandbox of the new image runs."));
  await run({ trySandbox: fails, prepareImage: async () => broken });
  await run({ prepareImage: async () => fixed });
  expect(platform.account.images).toContain(`switchyard-sandbox:${good}`);
});

describe("in the middle of a rollout", () => {
  const [older, newer] = ["a".repeat(16), "b".repeat(16)];
  /** The platform rolls the newer image out, and still names the older one as configured. */
  async function rollOut() {
    await run({ prepareImage: async () => older });
    await run({ prepareImage: async () => newer });
    const [application] = platform.account.applications;
    if (!application) throw new Error("There is no application.");
    const { image } = application.configuration;
    Object.assign(application, {
      ...{ active_rollout_id: "rollout-1", scheduling_hint: { target: { configuration: application.configuration } } },
      configuration: { ...application.configuration, image: image.replace(newer, older) },
    });
    platform.tools.length = 0;
    return application;
  }

  test("a deployment of the older version reverts the rollout, and pushes nothing", async () => {
    const application = await rollOut();
    const { ended, steps } = await run({ prepareImage: async () => older });
    expect([ended, steps[1]]).toEqual(["deployed", "Reverting the rollout that replaces this image …"]);
    expect(created(platform.changes)).toEqual(["POST /containers/applications/app-1/rollouts/rollout-1"]);
    expect(application.configuration.image).toContain(older);
    expect(platform.tools).not.toContain("containers build");
    expect(platform.account.images).toHaveLength(2);
  });

  test("a deployment of the same version leaves the rollout as it is", async () => {
    const application = await rollOut();
    expect((await run({ prepareImage: async () => newer })).ended).toBe("deployed");
    expect([application.active_rollout_id, platform.tools]).toEqual([
      "rollout-1",
      ["d1 migrations", "r2 object", "deploy", ...Array(5).fill("r2 object")],
    ]);
    expect(application.configuration.image).toContain(older);
  });
});
