// Two services in one account: a staging beside the production.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Checkout, openCheckout } from "./checkout.ts";

let production: Checkout;
let staging: Checkout;
beforeEach(async () => {
  production = await openCheckout();
  staging = await openCheckout(production.platform);
});
afterEach(async () => {
  await staging.close();
  await production.close();
});

test("they are deployed in turns, and neither loses an image, a counter, a secret or a setting", async () => {
  const { account } = production.platform;
  const images = ["a", "b", "c", "d"].map((letter) => letter.repeat(16));
  for (const image of images)
    for (const checkout of [production, staging])
      expect((await checkout.run({ prepareImage: async () => image })).ended).toBe("deployed");
  const names = ["switchyard", "switchyard-staging"];
  expect(account.applications.map(({ name, configuration: { image } }) => [name, image.split("/").at(-1)])).toEqual(
    names.map((name) => [`${name}-sandboxes`, `${name}-sandbox:${images[3]}`]),
  );
  expect(account.images.sort()).toEqual(
    names.flatMap((name) => [`${name}-sandbox:${images[2]}`, `${name}-sandbox:${images[3]}`]),
  );
  const workers = [...account.workers.values()];
  const counters = workers.flatMap((worker) => worker.counters);
  expect([counters.length, new Set(counters).size]).toEqual([16, 16]);
  expect(new Set(workers.map(({ secrets }) => secrets.SEALING_KEYS)).size).toBe(2);
  expect(account.databases.map(({ name }) => name)).toEqual(names);
  expect(account.buckets).toEqual(names);
  expect(account.records.map(({ name }) => name)).toEqual(["*.sidings.test", "*.staging-sidings.test"]);

  const kept = structuredClone(account.workers.get("switchyard"));
  await staging.run({ prepareImage: async () => "e".repeat(16) });
  expect(account.workers.get("switchyard")).toEqual(kept);
});

/** Changes a text of the staging's wrangler.toml. */
async function rewrite(from: RegExp, to: string) {
  const file = join(staging.root, "wrangler.toml");
  await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
}

test.each<[string, () => Promise<void>, RegExp]>([
  [
    "the host",
    async () => {
      await rewrite(/staging\.trains\.test/g, "api.trains.test");
    },
    /the domain api\.trains\.test \(of switchyard\)/,
  ],
  [
    "the zone of previews",
    async () => {
      await rewrite(/staging-sidings\.test/g, "sidings.test");
    },
    /the route \*\.sidings\.test\/\* \(of switchyard\)/,
  ],
  [
    "the bucket",
    async () => {
      await rewrite(/bucket_name = "switchyard-staging"/g, 'bucket_name = "switchyard"');
      await rewrite(/(r2\.cloudflarestorage\.com\/switchyard)-staging/g, "$1");
    },
    /the bucket switchyard \(of switchyard\)/,
  ],
  [
    "the database",
    async () => {
      await rewrite(/database_name = "switchyard-staging"/g, 'database_name = "switchyard"');
    },
    /the database switchyard \(of switchyard\)/,
  ],
])("a staging that was not given %s of its own takes nothing of the production", async (_, forget, help) => {
  await production.run();
  await forget();
  const kept = structuredClone(production.platform.account.workers);
  const { ended, text } = await staging.run();
  expect(ended).toContain("Nothing was changed");
  expect(text).toMatch(help);
  expect([staging.platform.changes, production.platform.account.workers]).toEqual([[], kept]);
});

test("an image that another application runs is never deleted", async () => {
  const { account } = production.platform;
  const image = "registry.cloudflare.com/0123456789abcdef0123456789abcdef/switchyard-sandbox:elsewhere";
  account.applications.push({ id: "app-9", name: "another", configuration: { image } });
  account.images.push("switchyard-sandbox:elsewhere");
  for (const tag of ["a", "b", "c"]) await production.run({ prepareImage: async () => tag.repeat(16) });
  expect(account.images).toContain("switchyard-sandbox:elsewhere");
});
