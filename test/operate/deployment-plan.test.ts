import { describe, expect, it } from "vitest";
import type { AccountFacts } from "../../operate/cloudflare/account.ts";
import type { Application } from "../../operate/cloudflare/application.ts";
import {
  checkAccount,
  checkCodeUpdates,
  checkGiven,
  checkMigrations,
  checkSettings,
} from "../../operate/cloudflare/checks.ts";
import { planDeployment } from "../../operate/cloudflare/deployment-plan.ts";
import { findOldImages } from "../../operate/cloudflare/image.ts";
import type { Settings } from "../../operate/cloudflare/settings.ts";

const settings: Settings = {
  ...{
    workerName: "switchyard",
    publicHost: "api.trains.test",
    previewDomain: "sidings.test",
    previewZone: "sidings.test",
    placeholders: [],
    customDomains: ["api.trains.test"],
  },
  ...{
    databaseName: "switchyard",
    databaseId: "db-1",
    bucketName: "switchyard",
    signUp: "ada",
    s3Endpoint: "https://acc.s3.test/switchyard",
    applicationName: "switchyard-sandboxes",
    jurisdiction: "",
    codeUpdateSeconds: 0,
    otherJurisdictions: [],
    containers: { max_instances: "500" },
  },
};
const application: Application = { id: "app-1", image: "image:1", settings: { max_instances: "500" }, rollout: null };
const deployed: AccountFacts = {
  account: { id: "acc", name: "Trains" },
  lacking: [],
  zones: [
    { id: "z1", name: "trains.test", status: "active" },
    { id: "z2", name: "sidings.test", status: "active" },
  ],
  ...{
    database: { id: "db-1", migrations: ["0000_initial.sql"], hasPeople: true, sealedWith: [], parked: 0 },
    hasBucket: true,
    secrets: ["SIGNING_KEY", "SEALING_KEYS"],
  },
  ...{
    application,
    imagesInUse: ["image:1"],
    hasPreviewRecord: true,
    isPreviewRecordProxied: true,
    version: "1.0.0",
    located: [],
    deploymentId: "d1",
    taken: [],
  },
};

describe("the plan of a deployment", () => {
  const given = { secrets: [], drops: [], hasNewKeys: false, image: "image:1", triedImage: "image:1", isPushed: null };
  const types = (facts: Partial<AccountFacts>, image = "image:1", of: Partial<Settings> = {}) =>
    planDeployment({ ...settings, ...of }, { ...deployed, ...facts }, { ...given, image }).map(({ type }) => type);
  const always = ["migrate", "save-document", "deploy-worker", "smoke-test", "save-clients"];

  it.each<[string, string[], Partial<AccountFacts>, string?, Partial<Settings>?]>([
    ["onto a running service", always, {}],
    [
      "with a changed image: it is pushed before the Worker",
      ["migrate", "push-image", ...always.slice(1), "try-sandbox", "prune-images"],
      {},
      "image:2",
    ],
    [
      "with the first image",
      ["migrate", "push-image", ...always.slice(1), "try-sandbox"],
      { application: null, imagesInUse: [] },
    ],
    ["without a bucket", ["create-bucket", ...always], { hasBucket: false }],
    ["without a DNS record of previews", ["create-preview-record", ...always], { hasPreviewRecord: false }],
    ["of a database whose id is not written down", ["write-ids", ...always], {}, "image:1", { databaseId: null }],
    ["without the account in S3_ENDPOINT", ["write-ids", ...always], {}, "image:1", { s3Endpoint: null }],
    [
      "without a database",
      ["create-database", "write-ids", ...always],
      { database: null },
      "image:1",
      { databaseId: null },
    ],
  ])("%s", (_, expected, facts, image, of) => {
    expect(types(facts, image, of)).toEqual(expected);
  });

  it.each<[string, boolean | null, string, boolean]>([
    ["new, and the registry lacks it", false, "image:2", true],
    ["new, and the registry has it, as after a kill or before a rollback", true, "image:2", false],
    ["new, and the registry is not known", null, "image:2", true],
    ["deployed, and the registry has lost it", false, "image:1", true],
    ["deployed, and the registry is not known", null, "image:1", false],
  ])("pushes an image that is %s: %s", (_, isPushed, image, pushes) => {
    const plan = planDeployment(settings, deployed, { ...given, image, isPushed });
    expect(plan.some(({ type }) => type === "push-image")).toBe(pushes);
  });

  it("tries a sandbox on an image that was deployed before any had started on it", () => {
    const facts = { ...deployed, imagesInUse: ["image:1"] };
    const plan = planDeployment(settings, facts, { ...given, triedImage: "image:0" });
    expect(plan.slice(-2)).toMatchObject([
      { type: "try-sandbox", image: "image:1" },
      { type: "prune-images", keeps: ["image:1", "image:0"] },
    ]);
  });

  it.each<[string, string[] | null, string[], string[]]>([
    ["both, where there is no Worker", null, [], ["SIGNING_KEY", "SEALING_KEYS"]],
    ["what is missing alone", ["SIGNING_KEY"], [], ["SEALING_KEYS"]],
    ["nothing that is given", null, ["SEALING_KEYS", "SIGNING_KEY"], []],
    ["nothing that is there", ["SIGNING_KEY", "SEALING_KEYS"], [], []],
  ])("generates %s", (_, secrets, names, draws) => {
    const plan = planDeployment(settings, { ...deployed, secrets }, { ...given, secrets: names });
    expect(plan.find(({ type }) => type === "deploy-worker")).toMatchObject({ draws, sets: names });
  });

  it("deletes a secret that the Worker has and no longer needs, after the deployment of the Worker", () => {
    const drops = ["SIGNING_KEY_PREVIOUS"];
    const plan = (secrets: string[]) =>
      planDeployment(settings, { ...deployed, secrets }, { ...given, drops }).map(({ type }) => type);
    const keys = ["SIGNING_KEY", "SEALING_KEYS"];
    expect(plan(keys)).toEqual(always);
    expect(plan([...keys, ...drops])).toEqual([
      "migrate",
      "save-document",
      "deploy-worker",
      "delete-secret",
      "smoke-test",
      "save-clients",
    ]);
  });

  it("introduces new keys with a deployment of their own, which applies the containers", () => {
    const plan = planDeployment(settings, deployed, { ...given, hasNewKeys: true, image: "image:2" });
    expect(plan.filter(({ type }) => ["deploy-worker", "wait-for-keys"].includes(type))).toMatchObject([
      { introduces: true, changes: ["image"], keepsRollout: false },
      { type: "wait-for-keys" },
      { introduces: false, changes: [], keepsRollout: true },
    ]);
  });

  const rollout = { id: "rollout-1", from: "image:1" };
  it.each<[string, Partial<Application>, string, string[], boolean]>([
    ["the same", {}, "image:1", [], false],
    ["a changed image", {}, "image:2", ["image"], false],
    ["a changed setting", { settings: { max_instances: "20" } }, "image:1", ["max_instances: 20 → 500"], false],
    ["the target of an active rollout", { image: "image:2", rollout }, "image:2", [], true],
    [
      "the target of an active rollout, with a changed setting",
      { image: "image:2", rollout, settings: { max_instances: "20" } },
      "image:2",
      ["max_instances: 20 → 500"],
      false,
    ],
    ["a third image during a rollout", { image: "image:2", rollout }, "image:3", ["image"], false],
  ])("of containers, with %s", (_, found, image, changes, keepsRollout) => {
    const facts = { ...deployed, application: { ...application, ...found } };
    const plan = planDeployment(settings, facts, { ...given, image });
    expect(plan.find(({ type }) => type === "deploy-worker")).toMatchObject({ changes, keepsRollout });
  });
});

it("keeps the new image, the previous one, and those of others", () => {
  const listed = JSON.stringify([
    { name: "switchyard-sandbox", tags: ["aa", "bb", "cc", "dd"] },
    { name: "another", tags: ["aa", "ee"] },
  ]);
  const keeps = ["registry.test/acc/switchyard-sandbox:cc", "registry.test/acc/switchyard-sandbox:aa"];
  expect(findOldImages(listed, "switchyard", keeps)).toEqual(["switchyard-sandbox:bb", "switchyard-sandbox:dd"]);
  expect(findOldImages("[]", "switchyard", keeps)).toEqual([]);
  for (const other of ["No images.", '{"images":[]}', '[{"name":"switchyard-sandbox"}]'])
    expect(findOldImages(other, "switchyard", keeps)).toBeNull();
});

describe("the checks", () => {
  const wrong = (checks: ReturnType<typeof checkSettings>) =>
    checks.filter(({ state }) => state === "wrong").map(({ help }) => help);

  it.each<[string, Partial<Settings>, RegExp | null]>([
    ["hold", {}, null],
    [
      "find the domains of the example",
      { placeholders: ["switchyard.example"] },
      /Replace switchyard.example .*with your own domains/,
    ],
    ["want a route of the service's host", { customDomains: ["trains.test"] }, /Add the route .*api.trains.test/],
    [
      "keep previews off the API's site",
      { publicHost: "api.sidings.test", customDomains: ["api.sidings.test"] },
      /another zone/,
    ],
    [
      "want the bucket's own endpoint",
      { bucketName: "switchyard-staging" },
      /end with the name of the bucket, switchyard-staging/,
    ],
    [
      "want the zone itself for previews",
      { previewDomain: "preview.sidings.test" },
      /Set PREVIEW_DOMAIN to the zone itself/,
    ],
  ])("of settings %s", (_, changes, help) => {
    const found = wrong(checkSettings({ ...settings, ...changes }));
    expect(found).toEqual(help ? [expect.stringMatching(help)] : []);
  });

  it.each<[string, Partial<AccountFacts>, RegExp | null]>([
    ["hold", {}, null],
    ["name the permissions that the token lacks", { lacking: ["Account: D1: Edit"] }, /permissions Account: D1: Edit/],
    ["find a zone that is not there", { zones: deployed.zones.slice(1) }, /Add the domain of api.trains.test/],
    [
      "find a zone that is not active",
      { zones: deployed.zones.map((zone) => ({ ...zone, status: zone.id === "z2" ? "pending" : "active" })) },
      /sidings.test is pending/,
    ],
    ["find previews that are led around it", { isPreviewRecordProxied: false }, /Turn the proxy of the DNS record/],
    [
      "find another account's database",
      { database: { id: "db-2", migrations: [], hasPeople: false, sealedWith: [], parked: 0 } },
      /names the database db-1/,
    ],
    ["draw no new key over credentials", { secrets: ["SIGNING_KEY"] }, /a new key loses all of them/],
    [
      "let an unused database have a new key",
      { secrets: null, database: { id: "db-1", migrations: [], hasPeople: false, sealedWith: [], parked: 0 } },
      null,
    ],
  ])("of an account %s", (_, changes, help) => {
    const found = wrong(checkAccount(settings, { ...deployed, ...changes }, []));
    expect(found).toEqual(help ? [expect.stringMatching(help)] : []);
  });

  it.each<[string, string[], RegExp | null]>([
    ["is new", [], null],
    ["is of this version", ["0000_first.sql"], null],
    ["is of a later one, at a rollback", ["0000_first.sql", "0001_second.sql"], null],
    [
      "is of an earlier one",
      ["0000_start.sql", "0001_turns.sql"],
      /made by Switchyard 0.x, which this version cannot read/,
    ],
  ])("of a database that %s", (_, migrations, help) => {
    const database = { id: "db-1", migrations, hasPeople: true, sealedWith: [], parked: 0 };
    const found = wrong([checkMigrations(database, "0000_first.sql")]);
    expect(found).toEqual(help ? [expect.stringMatching(help)] : []);
  });

  it.each<[string, Record<string, string>, RegExp | null]>([
    ["hold", { SEALING_KEYS: `k2:${"a".repeat(43)},k1:${"b".repeat(43)}`, SIGNING_KEY: "s".repeat(32) }, null],
    ["find sealing keys that seal nothing", { SEALING_KEYS: "the-secret" }, /SEALING_KEYS as ID:KEY/],
    ["find a list with a key too short", { SEALING_KEYS: `k2:${"a".repeat(43)},k1:b` }, /SEALING_KEYS as ID:KEY/],
    [
      "find two sealing keys of one id",
      { SEALING_KEYS: `k1:${"a".repeat(43)},k2:${"b".repeat(43)},k1:${"c".repeat(43)}` },
      /with an ID for each/,
    ],
    ["find an id that no sealed text could name", { SEALING_KEYS: `k.1:${"a".repeat(43)}` }, /SEALING_KEYS as ID:KEY/],
    ["find a short operator's key", { OPERATOR_KEY: "the-secret" }, /OPERATOR_KEY of 32 characters/],
    ["find the path of a key in its place", { APNS_PRIVATE_KEY: "the-secret.p8" }, /APNS_PRIVATE_KEY as the whole PEM/],
  ])("of given secrets %s, without their values", (_, given, help) => {
    const found = wrong(checkGiven(given, null));
    expect(found).toEqual(help ? [expect.stringMatching(help)] : []);
    expect(found.join()).not.toContain("the-secret");
  });

  it("stop a version that objects would get too late", () => {
    const late = { ...settings, codeUpdateSeconds: 300 };
    expect(checkCodeUpdates(settings, () => ["a call"]).state).toBe("ok");
    expect(checkCodeUpdates(late, () => []).state).toBe("ok");
    const { help } = checkCodeUpdates(late, () => ["one", "two", "three", "four", "five"]);
    expect(help).toMatch(/for 300 seconds\. .*: one; two; three, and 2 more\. Set mode = "immediate"/);
  });

  it("say what the service lacks, and permit the deployment", () => {
    const missing = (given: string[]) =>
      checkAccount(settings, deployed, given)
        .filter(({ state }) => state === "missing")
        .map(({ what }) => what);
    expect(missing([])).toContain("secret CODE_HOST_CLIENT_ID");
    expect(missing(["CODE_HOST_TOKEN"])).not.toContain("secret CODE_HOST_APP_ID");
    expect(missing(["CODE_HOST_CLIENT_ID"])).not.toContain("secret CODE_HOST_CLIENT_ID");
  });
});
