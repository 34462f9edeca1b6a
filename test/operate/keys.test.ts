// The keys that a deployment generates, and their change: the stored keys are those of the Worker,
// and no sealed value is lost.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  getKeys,
  keyFile,
  loadKeys,
  loadWaitingKeys,
  saveKeys,
  toIntroducedKeys,
} from "../../operate/cloudflare/keys.ts";
import { type Checkout, type Deployment, openCheckout } from "./checkout.ts";
import { createStandInTools } from "./tools-stand-in.ts";

let checkout: Checkout;
beforeEach(async () => {
  checkout = await openCheckout();
});
afterEach(() => checkout.close());

const run = (more?: Partial<Deployment>) => checkout.run(more);
/** The keys of the Worker, and those that the checkout stores. */
const held = () => getKeys(checkout.platform.account.secrets ?? {});
const kept = () => loadKeys(checkout.root);
const files = async () => (await readdir(checkout.root)).filter((name) => name.startsWith(".service-keys"));

/** Kills a deployment while wrangler deploys the Worker: before the platform has it, or after. */
function killed(when: "before" | "behind"): Partial<Deployment> {
  const openTools: Deployment["openTools"] = (...given) => {
    const tools = createStandInTools(checkout.platform)(...given);
    const wrangler = async (...args: string[]) => {
      if (args[0] !== "deploy" || when === "behind") await tools.wrangler(...args);
      if (args[0] === "deploy") throw new Error("killed");
    };
    return { ...tools, wrangler };
  };
  return { openTools };
}

const seal = (...ids: string[]) => checkout.platform.use(...ids);
const listIds = (keys: string | undefined) => (keys ?? "").split(",").map((key) => key.split(":")[0] ?? "");

test("generated keys are in a file that only its user can read, and the output says to save them", async () => {
  const { text } = await run();
  expect(kept()).toEqual(held());
  expect((await stat(join(checkout.root, keyFile))).mode & 0o777).toBe(0o600);
  expect(text).toContain(`${keyFile} is new. Put it into your password manager now`);
  for (const key of Object.values(held())) expect(text).not.toContain(key);
  expect((await run()).text).not.toContain("is new");
});

test("keys that were generated and not deployed are deployed by the next run", async () => {
  expect((await run(killed("before"))).ended).toBe("Error: killed");
  const drawn = kept();
  expect([Object.keys(drawn ?? {}), held()]).toEqual([["SIGNING_KEY", "SEALING_KEYS"], {}]);
  expect((await run()).ended).toBe("deployed");
  expect([kept(), held()]).toEqual([drawn, drawn]);
});

test("in a checkout that may be deleted, the output says to save the generated keys first", async () => {
  const { ended, text } = await run({ env: { CI: "true" } });
  expect([ended, text]).toEqual(["deployed", expect.stringContaining("keep the file as a secret of your CI")]);
});

test("given keys are used, and none is generated", async () => {
  const keys = { SIGNING_KEY: "s".repeat(43), SEALING_KEYS: `k1:${"a".repeat(43)}` };
  expect((await run({ env: { CI: "true", ...keys } })).ended).toBe("deployed");
  expect([held(), await files()]).toEqual([keys, []]);
});

test.each(["before", "behind"] as const)(
  "new keys are generated once, also if it is killed %s the deploy",
  async (when) => {
    await run();
    const before = kept();
    expect((await run({ ...killed(when), keyChange: "new" })).ended).toBe("Error: killed");
    const drawn = loadWaitingKeys(checkout.root);
    expect(drawn).toEqual({
      SIGNING_KEY: expect.stringMatching(/^[\w-]{43}$/),
      SIGNING_KEY_PREVIOUS: before?.SIGNING_KEY,
      SEALING_KEYS: expect.stringMatching(new RegExp(`^k[0-9a-f]{8}:[\\w-]{43},${before?.SEALING_KEYS}$`)),
    });
    expect([kept(), held()]).toEqual([before, when === "before" ? before : toIntroducedKeys(drawn ?? {})]);
    expect((await run({ keyChange: "drop-old" })).ended).toContain("A change of keys was started and is not finished");
    expect((await run({ keyChange: "new" })).ended).toBe("deployed");
    expect([kept(), held(), await files()]).toEqual([drawn, drawn, [keyFile]]);
  },
);

test("new keys verify and unseal everywhere before one of them signs or seals", async () => {
  await run();
  const before = held();
  const deployed: unknown[] = [];
  const openTools: Deployment["openTools"] = (...given) => {
    const tools = createStandInTools(checkout.platform)(...given);
    const wrangler = async (...args: string[]) => {
      await tools.wrangler(...args);
      if (args[0] === "deploy") deployed.push([args.includes("immediate"), held()]);
    };
    return { ...tools, wrangler };
  };
  const { ended, text } = await run({ openTools, keyChange: "new" });
  const { SIGNING_KEY, SEALING_KEYS = "" } = held();
  const introduced = {
    ...{ SIGNING_KEY: before.SIGNING_KEY, SIGNING_KEY_PREVIOUS: SIGNING_KEY },
    SEALING_KEYS: `${before.SEALING_KEYS},${SEALING_KEYS.split(",")[0]}`,
  };
  const final = { SIGNING_KEY, SIGNING_KEY_PREVIOUS: before.SIGNING_KEY, SEALING_KEYS };
  expect([ended, deployed]).toEqual([
    "deployed",
    [
      [true, introduced],
      [true, final],
    ],
  ]);
  expect(text).toContain("Waiting until the new keys are known everywhere");
});

test("keys are not changed again before the old ones are dropped, because their tokens would end", async () => {
  await run();
  const before = held();
  expect((await run({ keyChange: "new", answers: async () => false })).ended).toContain("does not answer");
  const changed = held();
  expect(changed.SIGNING_KEY_PREVIOUS).toBe(before.SIGNING_KEY);
  expect((await run({ keyChange: "new" })).ended).toContain("The last change of keys is not complete");
  expect([held(), kept()]).toEqual([changed, changed]);
  expect((await run()).ended).toBe("deployed");
  expect((await run({ keyChange: "drop-old" })).ended).toBe("deployed");
  expect((await run({ keyChange: "new" })).ended).toBe("deployed");
  expect(held().SIGNING_KEY_PREVIOUS).toBe(changed.SIGNING_KEY);
});

test("the file of keys is never without keys: if it cannot be written, it has the former ones", () => {
  const keys = { SIGNING_KEY: "s" };
  saveKeys(checkout.root, keys);
  const broken = Object.defineProperty({}, "SIGNING_KEY", {
    ...{ enumerable: true, get: () => expect.fail("the disk is full") },
  });
  expect(() => saveKeys(checkout.root, broken)).toThrow("the disk is full");
  expect(kept()).toEqual(keys);
});

test("old keys end once nothing is sealed with them", async () => {
  await run();
  await run({ keyChange: "new" });
  const [newId = "", oldId = ""] = listIds(held().SEALING_KEYS);
  const both = held();
  seal(newId, oldId);
  const { ended, text } = await run({ keyChange: "drop-old" });
  expect(ended).toContain("Nothing was changed");
  expect(text).toContain(`Add ${oldId} after the first key, because credentials are still sealed with it.`);
  expect([held(), kept()]).toEqual([both, both]);
  seal(newId);
  expect((await run({ keyChange: "drop-old" })).ended).toBe("deployed");
  const left = { SIGNING_KEY: both.SIGNING_KEY, SEALING_KEYS: both.SEALING_KEYS?.split(",")[0] };
  expect([held(), kept()]).toEqual([left, left]);
});

test.each(["provider_logins", "code_host_identities", "network_secrets", "webhooks", "trigger_secrets"])(
  "a key with which only a row of %s is sealed is not dropped",
  async (table) => {
    await run();
    await run({ keyChange: "new" });
    const [, oldId = ""] = listIds(held().SEALING_KEYS);
    checkout.platform.useIn(table, oldId);
    const { ended, text } = await run({ keyChange: "drop-old" });
    expect(ended).toContain("Nothing was changed");
    expect(text).toContain(`Add ${oldId} after the first key`);
  },
);

test("given sealing keys must unseal what is sealed", async () => {
  await run();
  seal("k1");
  const SEALING_KEYS = `k2:${"b".repeat(43)}`;
  expect((await run({ env: { SEALING_KEYS } })).text).toContain("Add k1 after the first key");
  const both = `${SEALING_KEYS},k1:${"a".repeat(43)}`;
  expect((await run({ env: { SEALING_KEYS: both } })).ended).toBe("deployed");
  // The Worker has the given keys, so the next change begins with them.
  expect(kept()).toEqual(held());
});

test("a change begins with the given keys, and never without any", async () => {
  const keys = { SIGNING_KEY: "s".repeat(43), SEALING_KEYS: `k1:${"a".repeat(43)}` };
  await run({ env: keys });
  expect((await run({ keyChange: "new" })).ended).toContain("The current keys are not known here");
  expect((await run({ env: keys, keyChange: "new" })).ended).toBe("deployed");
  expect([held().SIGNING_KEY_PREVIOUS, listIds(held().SEALING_KEYS)[1]]).toEqual([keys.SIGNING_KEY, "k1"]);
});
