// Production and staging in one account, deployed in turns in a random order: with new images,
// settings and keys, rollouts that last, kills at any call, failures of the platform, and another
// machine in between. Neither ever lacks what it needs.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getKeys, keyFile } from "../../operate/cloudflare/keys.ts";
import { Stop } from "../../operate/lib/exit.ts";
import { type RandomSource, randomSource } from "../support/random-source.ts";
import { endRollouts } from "./applications-stand-in.ts";
import { type Checkout, type Deployment, openCheckout } from "./checkout.ts";
import type { Account } from "./platform-stand-in.ts";
import { createStandInTools } from "./tools-stand-in.ts";

const steps = 10;
const names = ["switchyard", "switchyard-staging"] as const;
type Name = (typeof names)[number];

/** What a deployment of one service is to lead to, and what the service has to keep. */
interface Service {
  name: Name;
  checkout: Checkout;
  /** The same branch on another machine. */
  other: Checkout;
  image: string;
  instances: number;
  /** The images on which a sandbox has started, the newest last. */
  tried: string[];
  /** The signing keys of tokens that are still valid. */
  signed: Set<string>;
  keyChange: Deployment["keyChange"];
  /** True if its new keys sign and seal. */
  hasNewKeys: boolean;
}

/** The calls of a deployment, one of which may kill it, or be slow enough for something else. */
class Course {
  #left: number;
  readonly #act: (() => Promise<void>) | null;
  isDead = false;
  /** `act` happens instead of a kill. */
  constructor(calls: number, act: (() => Promise<void>) | null) {
    this.#left = calls;
    this.#act = act;
  }
  async pass(): Promise<void> {
    if (this.isDead) throw new Error("killed");
    if (this.#left-- !== 0) return;
    if (this.#act) return await this.#act();
    this.isDead = true;
    throw new Error("killed");
  }
}

const endless = 1_000;

async function run(service: Service, course: Course, { on = service.checkout, fails = false } = {}) {
  const { account } = on.platform;
  let images = 0;
  const openTools: Deployment["openTools"] = (...given) => {
    const tools = createStandInTools(on.platform)(...given);
    const passing =
      <Args extends unknown[], Result>(command: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await course.pass();
        const result = await command(...args);
        await course.pass();
        return result;
      };
    const wrangler = passing((...args: string[]) => tools.wrangler(...args));
    return {
      ...tools,
      wrangler,
      readWrangler: passing((...args: string[]) => tools.readWrangler(...args)),
      quietWrangler: async (...args) => {
        await wrangler(...args);
        return "";
      },
    };
  };
  const trySandbox: Deployment["trySandbox"] = async ({ tag }) => {
    await course.pass();
    if (fails) throw new Stop("No sandbox of the new image runs.");
    const running = account.applications.find(({ name }) => name === `${service.name}-sandboxes`);
    const target = running?.scheduling_hint?.target ?? running;
    expect(target?.configuration.image).toMatch(new RegExp(`:${tag}$`));
    // Nothing was pruned before.
    expect(listOf(account, service.name).length).toBeGreaterThanOrEqual(images);
    service.tried.push(tag);
  };
  const file = join(on.root, "wrangler.toml");
  const settings = await readFile(file, "utf8");
  await writeFile(file, settings.replace(/max_instances = \d+/, `max_instances = ${service.instances}`));
  const prepareImage = async () => {
    images = listOf(account, service.name).length;
    return service.image;
  };
  const ended = await on.run({ openTools, trySandbox, prepareImage, keyChange: service.keyChange });
  if (ended.ended === "deployed") {
    expect(service.tried).toContain(service.image);
    if (service.keyChange === "new") service.hasNewKeys = true;
    if (service.keyChange !== null) service.keyChange = null;
  }
  return ended;
}

const listOf = ({ images }: Account, name: Name) => images.filter((image) => image.startsWith(`${name}-sandbox:`));

/** What must hold after each step, however it ended. */
function check(service: Service) {
  const { account } = service.checkout.platform;
  const { name } = service;
  const worker = account.workers.get(name);
  if (!worker) return;
  const [application] = account.applications.filter((one) => one.name === `${name}-sandboxes`);
  const used = [application?.configuration, application?.scheduling_hint?.target.configuration];
  for (const image of used.flatMap((one) => (one ? [one.image.split("/").at(-1)] : [])))
    expect(account.images).toContain(image);
  // What a rollback needs.
  const proved = service.tried.at(-1);
  if (proved) expect(account.images).toContain(`${name}-sandbox:${proved}`);
  expect(worker.hosts).toHaveLength(2);
  expect([worker.bucket, worker.counters.length]).toEqual([name, 8]);
  expect(Object.keys(worker.secrets)).toEqual(
    expect.arrayContaining(["CODE_HOST_CLIENT_SECRET", "DEPLOYMENT_KEY", "SEALING_KEYS", "SIGNING_KEY"]),
  );
  const { SIGNING_KEY = "", SIGNING_KEY_PREVIOUS = "", SEALING_KEYS = "" } = worker.secrets;
  for (const key of service.signed) expect([SIGNING_KEY, SIGNING_KEY_PREVIOUS]).toContain(key);
  service.signed.add(SIGNING_KEY);
  const ids = SEALING_KEYS.split(",").map((key) => key.split(":")[0] ?? "");
  const data = account.databases.find((database) => database.name === name)?.data;
  data?.exec("CREATE TABLE IF NOT EXISTS users (id); INSERT INTO users VALUES ('usr_1')");
  data?.exec("CREATE TABLE IF NOT EXISTS projects (settings_key)");
  const sealed = data?.prepare("SELECT DISTINCT settings_key AS id FROM projects").all() ?? [];
  for (const { id } of sealed) expect(ids).toContain(id);
  data?.exec(`INSERT INTO projects VALUES ('${ids[0]}')`);
}

/** A day passes: earlier tokens are not valid, and a sweep has sealed all with the first key. */
function passDay({ name, checkout, signed }: Service) {
  const { databases, workers } = checkout.platform.account;
  const { SEALING_KEYS = "" } = workers.get(name)?.secrets ?? {};
  databases
    .find((one) => one.name === name)
    ?.data.exec(`UPDATE projects SET settings_key = '${SEALING_KEYS.split(":")[0]}'`);
  signed.clear();
}

/** All that a service has, to see that a deployment of the other one does not touch it. */
function describe({ account }: Checkout["platform"], name: Name) {
  return structuredClone({
    worker: account.workers.get(name),
    application: account.applications.filter((one) => one.name === `${name}-sandboxes`),
    images: listOf(account, name),
    objects: [...account.objects].filter(([key]) => key.startsWith(`${name}/`)),
    stores: [account.databases, account.buckets].map(
      (of) => of.filter((one) => (typeof one === "string" ? one : one.name) === name).length,
    ),
  });
}

/** The platform fails each tenth call, in each of its ways. */
const failing =
  (random: RandomSource): Account["fault"] =>
  () =>
    random.oneIn(10) ? random.pick<number | "before" | "after">([429, 500, "before", "after"]) : null;

async function openService(name: Name, checkouts: [Checkout, Checkout]): Promise<Service> {
  const [checkout, other] = checkouts;
  await copyFile(join(checkout.root, "wrangler.toml"), join(other.root, "wrangler.toml"));
  return {
    ...{ name, checkout, other, image: "0".repeat(16), instances: 500, tried: [] },
    ...{ signed: new Set<string>(), keyChange: null, hasNewKeys: false },
  };
}

test.each([3, 5])(
  "with seed %i, neither loses anything that it or its running rollout uses",
  async (seed) => {
    const random = randomSource(seed);
    const first = await openCheckout();
    const { platform } = first;
    const [second, third, fourth] = [
      await openCheckout(platform),
      await openCheckout(platform),
      await openCheckout(platform),
    ];
    const services: [Service, Service] = [
      await openService("switchyard", [first, third]),
      await openService("switchyard-staging", [second, fourth]),
    ];
    platform.account.pageItems = 1;
    let images = 0;
    for (let step = 0; step < steps; step++) {
      const service = random.pick(services);
      const [neighbour] = services.filter((one) => one !== service);
      platform.account.rollsOutSlowly = random.oneIn(2);
      if (random.oneIn(3)) endRollouts(platform.account);
      const before = describe(platform, neighbour?.name ?? "switchyard");
      if (random.oneIn(2)) service.image = String(++images).padStart(16, "0");
      else if (random.oneIn(3)) service.image = service.tried.at(-2) ?? service.image;
      if (random.oneIn(3)) service.instances = 100 + random.below(9);
      if (random.oneIn(4) && service.tried.length > 0) {
        if (service.hasNewKeys) passDay(service);
        service.keyChange ??= service.hasNewKeys ? "drop-old" : "new";
        if (service.keyChange === "drop-old") service.hasNewKeys = false;
      }
      const kind = random.pick(["whole", "killed", "killed", "failing", "untried", "meanwhile"]);
      const calls = random.below(50);
      const course = new Course(
        ["killed", "meanwhile"].includes(kind) ? calls : endless,
        kind === "meanwhile" && service.tried.length > 0
          ? async () => {
              await copyFile(join(service.checkout.root, "wrangler.toml"), join(service.other.root, "wrangler.toml"));
              await copyFile(join(service.checkout.root, keyFile), join(service.other.root, keyFile));
              const [image, keyChange] = [service.image, service.keyChange];
              service.image = String(++images).padStart(16, "0");
              service.keyChange = null;
              await run(service, new Course(endless, null), { on: service.other });
              Object.assign(service, { image, keyChange });
            }
          : null,
      );
      platform.account.fault = kind === "failing" ? failing(random) : () => (course.isDead ? "before" : null);
      const { ended, text } = await run(service, course, { fails: kind === "untried" });
      const what = `step ${step}, ${kind} at ${calls}: ${service.name} ${ended}`;
      expect([what, /^(deployed|Error: )/.test(ended)]).toEqual([what, true]);
      check(service);
      platform.account.fault = null;
      for (let again = 0; ended !== "deployed" && again < 2; again++) {
        let repeated = await run(service, new Course(endless, null));
        if (/The last change of keys is not complete/.test(repeated.ended)) {
          Object.assign(service, { keyChange: null, hasNewKeys: true });
          repeated = await run(service, new Course(endless, null));
        }
        check(service);
        if (repeated.ended === "deployed") break;
        expect(
          [
            what,
            text.split("\n").at(-1),
            ...repeated.steps,
            JSON.stringify(platform.account.applications),
            repeated.ended,
          ].join("\n"),
        ).toBe("deployed");
      }
      const { applications } = platform.account;
      const [application] = applications.filter(({ name }) => name === `${service.name}-sandboxes`);
      expect([what, application?.max_instances]).toEqual([what, service.instances]);
      const target = application?.scheduling_hint?.target ?? application;
      expect([what, target?.configuration.image.split(":").at(-1)]).toEqual([what, service.image]);
      expect([what, describe(platform, neighbour?.name ?? "switchyard")]).toEqual([what, before]);
    }
    const workers = [...platform.account.workers.values()];
    const counters = workers.flatMap((worker) => worker.counters);
    expect(new Set(counters).size).toBe(8 * workers.length);
    expect(new Set(workers.map(({ secrets }) => getKeys(secrets).SEALING_KEYS)).size).toBe(workers.length);
    for (const checkout of [fourth, third, second, first]) await checkout.close();
  },
  120_000,
);
