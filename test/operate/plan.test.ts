import { describe, expect, it } from "vitest";
import type { AccountFacts } from "../../operate/account.ts";
import { checkAccount, checkSettings } from "../../operate/checks.ts";
import { oldImages } from "../../operate/image.ts";
import { planDeployment } from "../../operate/plan.ts";
import type { Settings } from "../../operate/settings.ts";

const settings: Settings = {
  ...{
    workerName: "switchyard",
    publicHost: "api.trains.test",
    previewDomain: "sidings.test",
    previewZone: "sidings.test",
  },
  ...{
    databaseName: "switchyard",
    databaseId: "db-1",
    bucketName: "switchyard",
    s3Endpoint: "https://acc.s3.test/switchyard",
  },
};
const deployed: AccountFacts = {
  account: { id: "acc", name: "Trains" },
  lacking: [],
  zones: [
    { id: "z1", name: "trains.test", status: "active" },
    { id: "z2", name: "sidings.test", status: "active" },
  ],
  ...{ database: { id: "db-1", hasPeople: true }, hasBucket: true, secrets: ["SIGNING_KEY", "SEALING_KEYS"] },
  ...{ image: "image:1", hasPreviewRecord: true },
};

describe("the plan of a deployment", () => {
  const given = { secrets: [], image: "image:1" };
  const types = (facts: Partial<AccountFacts>, image = "image:1", of: Partial<Settings> = {}) =>
    planDeployment({ ...settings, ...of }, { ...deployed, ...facts }, { ...given, image }).map(({ type }) => type);
  const always = ["migrate", "deploy-worker", "smoke-test"];

  it.each<[string, string[], Partial<AccountFacts>, string?, Partial<Settings>?]>([
    ["onto a running service", always, {}],
    [
      "with a changed image: it is pushed before the Worker",
      ["migrate", "push-image", "deploy-worker", "smoke-test", "prune-images"],
      {},
      "image:2",
    ],
    ["with the first image", ["migrate", "push-image", "deploy-worker", "smoke-test"], { image: null }],
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

  it.each<[string, string[] | null, string[], string[]]>([
    ["both, where there is no Worker", null, [], ["SIGNING_KEY", "SEALING_KEYS"]],
    ["what is missing alone", ["SIGNING_KEY"], [], ["SEALING_KEYS"]],
    ["nothing that is given", null, ["SEALING_KEYS", "SIGNING_KEY"], []],
    ["nothing that is there", ["SIGNING_KEY", "SEALING_KEYS"], [], []],
  ])("draws %s", (_, secrets, names, draws) => {
    const plan = planDeployment(settings, { ...deployed, secrets }, { ...given, secrets: names });
    expect(plan.find(({ type }) => type === "deploy-worker")).toMatchObject({ draws, sets: names });
  });

  it("rolls containers out with a changed image alone", () => {
    const rollsOut = (image: string) =>
      planDeployment(settings, deployed, { ...given, image }).find(({ type }) => type === "deploy-worker");
    expect([rollsOut("image:1"), rollsOut("image:2")]).toMatchObject([{ rollsOut: false }, { rollsOut: true }]);
  });
});

it("keeps the new image and the one of before, and those of others", () => {
  const listed = JSON.stringify([
    { name: "switchyard-sandbox", tags: ["aa", "bb", "cc", "dd"] },
    { name: "another", tags: ["aa", "ee"] },
  ]);
  const keeps = ["registry.test/acc/switchyard-sandbox:cc", "registry.test/acc/switchyard-sandbox:aa"];
  expect(oldImages(listed, keeps)).toEqual(["switchyard-sandbox:bb", "switchyard-sandbox:dd"]);
  expect(oldImages("[]", keeps)).toEqual([]);
});

describe("the checks", () => {
  const wrong = (checks: ReturnType<typeof checkSettings>) =>
    checks.filter(({ state }) => state === "wrong").map(({ help }) => help);

  it.each<[string, Partial<Settings>, RegExp | null]>([
    ["hold", {}, null],
    ["find the domains of the example", { publicHost: "switchyard.example" }, /Put your own domains/],
    ["keep previews off the API's site", { publicHost: "api.sidings.test" }, /another zone/],
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
    ["find another account's database", { database: { id: "db-2", hasPeople: false } }, /names the database db-1/],
    ["draw no new key over credentials", { secrets: ["SIGNING_KEY"] }, /a new key loses all of them/],
    ["let an unused database have a new key", { secrets: null, database: { id: "db-1", hasPeople: false } }, null],
  ])("of an account %s", (_, changes, help) => {
    const found = wrong(checkAccount(settings, { ...deployed, ...changes }, []));
    expect(found).toEqual(help ? [expect.stringMatching(help)] : []);
  });

  it("say what the service goes without, and let it be deployed", () => {
    const missing = (given: string[]) =>
      checkAccount(settings, deployed, given)
        .filter(({ state }) => state === "missing")
        .map(({ what }) => what);
    expect(missing([])).toContain("secret CODE_HOST_CLIENT_ID");
    expect(missing(["CODE_HOST_TOKEN"])).not.toContain("secret CODE_HOST_APP_ID");
    expect(missing(["CODE_HOST_CLIENT_ID"])).not.toContain("secret CODE_HOST_CLIENT_ID");
  });
});
