// A service in a jurisdiction: all its parts are made there, and nothing that is elsewhere is used.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareImage } from "../../operate/cloudflare/image.ts";
import { type Checkout, createLocalTools, openCheckout } from "./checkout.ts";
import { accountId } from "./platform-stand-in.ts";

let checkout: Checkout;
beforeEach(async () => {
  checkout = await openCheckout();
});
afterEach(() => checkout.close());

/** Changes a text of wrangler.toml under [env.production]. */
async function write(from: RegExp, to: string) {
  const file = join(checkout.root, "wrangler.toml");
  const [local = "", ...deployed] = (await readFile(file, "utf8")).split("[env.production]");
  const changed = deployed.join("[env.production]").replace(from, to);
  await writeFile(file, [local, changed].join("[env.production]"));
}
const choose = (jurisdiction: string) => write(/JURISDICTION = "\w*"/, `JURISDICTION = "${jurisdiction}"`);
const run = () => checkout.run({ location: null });

test("wrangler deploys everything there, and the next run finds it there", async () => {
  await choose("eu");
  const { ended, steps } = await checkout.run({ location: null, openTools: createLocalTools, prepareImage });
  const { unknown, account } = checkout.platform;
  expect({ ended, unknown }).toEqual({ ended: "deployed", unknown: [] });
  expect(steps.slice(0, 2)).toEqual(["Making the database switchyard in eu …", "Making the bucket switchyard in eu …"]);
  expect(account.databases).toMatchObject([{ name: "switchyard", jurisdiction: "eu" }]);
  expect(account.buckets).toEqual(["eu/switchyard"]);
  expect([...account.objects.keys()]).toContain("eu/switchyard/console/index.html");
  expect(account.applications).toMatchObject([{ constraints: { jurisdiction: "eu" } }]);
  expect(account.workers.get("switchyard")).toMatchObject({ jurisdiction: "eu", bucketJurisdiction: "eu" });
  const settings = await readFile(join(checkout.root, "wrangler.toml"), "utf8");
  expect(settings).toContain(`https://${accountId}.eu.r2.cloudflarestorage.com/switchyard`);
  // Docker's stand-in does not reach the registry of the account.
  account.images.push(...account.applications.map(({ configuration }) => configuration.image.split("/").at(-1) ?? ""));
  const { steps: again, text } = await checkout.run({ location: null, prepareImage });
  expect(again).toHaveLength(5);
  expect(text).toContain("ok: the jurisdiction is eu");
  expect(text).toContain("(its containers are unchanged)");
}, 120_000);

test.each<[string, string, RegExp]>([
  ["", "eu", /"eu".*elsewhere: the database switchyard \(none\) and the bucket switchyard \(none\) and the objects/],
  ["us", "", /"".*elsewhere: the database switchyard \(us\).*the objects of switchyard \(us\).*JURISDICTION = "us"/],
])("what is in %j is not deployed to %j", async (before, after, help) => {
  await choose(before);
  expect((await run()).ended).toBe("deployed");
  const kept = structuredClone(checkout.platform.account.workers);
  await choose(after);
  await write(/S3_ENDPOINT = ".*"/, 'S3_ENDPOINT = ""');
  checkout.platform.changes.length = 0;
  const { ended, text } = await run();
  expect(ended).toContain("Nothing was changed");
  expect(text).toMatch(help);
  expect([checkout.platform.changes, checkout.platform.account.workers]).toEqual([[], kept]);
});

test("a bucket of this name elsewhere is not taken for that of the service", async () => {
  checkout.platform.account.buckets.push("switchyard");
  await choose("eu");
  expect((await run()).text).toContain("this is elsewhere: the bucket switchyard (none)");
});

test.each<[string, () => Promise<void>, RegExp]>([
  ["of another name", () => choose("mars"), /"eu", "us" or "", and is "mars"/],
  [
    "beside an S3 address of none",
    async () => {
      await choose("eu");
      await write(/0{32}/, accountId);
    },
    /Write https:\/\/ACCOUNT\.eu\.r2\.cloudflarestorage\.com\/switchyard/,
  ],
  [
    "beside containers of another one",
    async () => {
      await choose("eu");
      await write(/max_instances/, 'constraints = { jurisdiction = "us" }\nmax_instances');
    },
    /Bucket or containers have jurisdiction "us"/,
  ],
])("a jurisdiction %s is refused", async (_, arrange, help) => {
  await arrange();
  const { ended, text } = await run();
  expect(ended).toContain("Nothing was changed");
  expect(text).toMatch(help);
});

test("a location and a jurisdiction exclude each other", async () => {
  await choose("us");
  expect((await checkout.run({ location: "weur" })).ended).toContain("leave --location out");
  expect(checkout.platform.changes).toEqual([]);
});
