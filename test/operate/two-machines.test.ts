// Two machines that deploy one Worker at the same time: the second to come leaves what the first
// has deployed, and neither deletes what the other is about to use.
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { getKeys, keyFile } from "../../operate/cloudflare/keys.ts";
import { type Checkout, type Deployment, openCheckout } from "./checkout.ts";
import { createStandInTools } from "./tools-stand-in.ts";

let one: Checkout;
let other: Checkout;
beforeEach(async () => {
  one = await openCheckout();
  other = await openCheckout(one.platform);
  await one.run({ prepareImage: async () => "a".repeat(16) });
  for (const name of ["wrangler.toml", keyFile]) await copyFile(join(one.root, name), join(other.root, name));
});
afterEach(async () => {
  await other.close();
  await one.close();
});

/** Tools with which something happens before a command, once. */
function meeting(command: string, act: () => Promise<unknown>): Deployment["openTools"] {
  let isMet = false;
  return (...given) => {
    const tools = createStandInTools(one.platform)(...given);
    const wrangler = async (...args: string[]) => {
      if (!isMet && args.join(" ").startsWith(command)) {
        isMet = true;
        await act();
      }
      await tools.wrangler(...args);
    };
    return { ...tools, wrangler };
  };
}

const replaced = "Another deployment of switchyard, or a rollback, was made since this one began";
const another = () => other.run({ prepareImage: async () => "b".repeat(16) });

test.each(["d1 migrations", "containers build", "deploy", "secret delete", "r2 object put switchyard/cli"])(
  "a deployment during which another was made stops at %s, and says so",
  async (command) => {
    await one.run({ keyChange: "new" });
    await copyFile(join(one.root, keyFile), join(other.root, keyFile));
    const openTools = meeting(command, another);
    const { ended, text } = await one.run({
      openTools,
      prepareImage: async () => "c".repeat(16),
      keyChange: "drop-old",
    });
    expect(ended).toContain(replaced);
    expect(text).not.toContain("Deployed");
    const image = "c".repeat(16);
    expect((await one.run({ prepareImage: async () => image })).ended).toBe("deployed");
    const { applications, images } = one.platform.account;
    for (const { configuration } of applications) expect(images).toContain(configuration.image.split("/").at(-1));
    expect(applications[0]?.configuration.image).toContain(image);
  },
);

test("a trial that fails because another deployment has changed its key says so", async () => {
  const trySandbox: Deployment["trySandbox"] = async () => {
    await another();
    throw new Error("401");
  };
  expect((await one.run({ trySandbox, prepareImage: async () => "c".repeat(16) })).ended).toContain(replaced);
});

test("an image that another machine pushes during a trial is not deleted", async () => {
  const { images } = one.platform.account;
  const trySandbox: Deployment["trySandbox"] = async () => void images.push("switchyard-sandbox:pushed");
  expect((await one.run({ trySandbox, prepareImage: async () => "c".repeat(16) })).ended).toBe("deployed");
  expect(images).toContain("switchyard-sandbox:pushed");
});

test("of two machines that change the keys, only one does", async () => {
  let second = "";
  const openTools = meeting("d1 migrations", async () => {
    second = (await other.run({ keyChange: "new" })).ended;
  });
  const { ended } = await one.run({ openTools, keyChange: "new" });
  expect([second, ended]).toEqual(["deployed", expect.stringContaining(replaced)]);
  const keys = getKeys(one.platform.account.secrets ?? {});
  expect((await one.run({ keyChange: "new" })).ended).toContain("The last change of keys is not complete");
  expect(getKeys(one.platform.account.secrets ?? {})).toEqual(keys);
});
