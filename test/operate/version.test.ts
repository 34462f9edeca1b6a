// Which version runs, and to which one a deployment goes.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Platform } from "../../operate/cloudflare/api.ts";
import { PlatformError } from "../../operate/cloudflare/api.ts";
import { findDeployedVersion, formatVersions, readVersion } from "../../operate/cloudflare/version.ts";
import { version as libraryVersion } from "../../packages/client/src/http.ts";
import { type Checkout, openCheckout } from "./checkout.ts";

let checkout: Checkout;
beforeEach(async () => {
  checkout = await openCheckout();
});
afterEach(() => checkout.close());

it("a deployment says from which version to which it goes, and stores it", async () => {
  const first = await checkout.run();
  const version = readVersion(checkout.root, process.env);
  expect(version).toMatch(/^\d+\.\d+\.\d+(-dev)?$/);
  expect(first.text).toContain(`This will be the first deployment, of Switchyard ${version}.`);
  expect(checkout.platform.account.workers.get("switchyard")?.message).toBe(`Switchyard ${version}`);
  expect((await checkout.run()).text).toContain(`Switchyard ${version} is deployed already. It is deployed again.`);
});

it("the commit is part of the version in a repository", () => {
  expect(readVersion(process.cwd(), process.env)).toMatch(/^\d+\.\d+\.\d+(-dev)?, commit [0-9a-f]{7,}(, changed)?$/);
});

it("the packages repeat the version of the product", () => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")).version;
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect([read("packages/cli/package.json"), read("packages/client/package.json")]).toEqual([version, version]);
  expect(libraryVersion).toBe(version);
});

it.each([
  [null, "This will be the first deployment, of Switchyard 2.0.0."],
  ["", "From Switchyard of a version that is not known to 2.0.0."],
  ["1.0.0", "From Switchyard 1.0.0 to 2.0.0."],
])("from %j it is described", (from, text) => {
  expect(formatVersions(from, "2.0.0")).toBe(text);
});

const stored = (number: number, message?: string) => ({
  ...{ id: `v${number}`, number, annotations: message === undefined ? {} : { "workers/message": message } },
});

it.each<[string, string, object[], string | null]>([
  ["the newest", "v2", [stored(1, "Switchyard 1.0.0"), stored(2, "Switchyard 1.1.0")], "1.1.0"],
  ["an older one after a rollback", "v1", [stored(2, "Switchyard 1.1.0"), stored(1, "Switchyard 1.0.0")], "1.0.0"],
  ["one whose secret was changed since", "v2", [stored(1, "Switchyard 1.0.0"), stored(2)], "1.0.0"],
  ["one that another program deployed", "v1", [stored(1, "by hand")], ""],
])("%s is read", async (_, deployed, items, found) => {
  const deployments = [{ versions: [{ version_id: deployed, percentage: 100 }] }];
  const get = async (path: string) => (path.endsWith("/versions") ? { items } : { deployments });
  expect(await findDeployedVersion({ get } as unknown as Platform, "acc", "switchyard")).toBe(found);
});

it("there is none while there is no Worker", async () => {
  const get = async () => {
    throw new PlatformError(404, "not found");
  };
  expect(await findDeployedVersion({ get } as unknown as Platform, "acc", "switchyard")).toBeNull();
});
