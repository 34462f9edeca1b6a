import { expect, it } from "vitest";
import type { AccountFacts } from "../../operate/cloudflare/account.ts";
import { checkService } from "../../operate/cloudflare/service-checks.ts";
import type { Settings } from "../../operate/cloudflare/settings.ts";

const settings: Settings = {
  ...{ workerName: "switchyard", publicHost: "api.trains.test", previewDomain: "sidings.test" },
  ...{
    previewZone: "sidings.test",
    placeholders: [],
    customDomains: [],
    databaseName: "d",
    databaseId: "db-1",
    signUp: "*",
    bucketName: "b",
    s3Endpoint: "https://acc.s3.test/b",
    applicationName: "switchyard-sandboxes",
    jurisdiction: "",
    codeUpdateSeconds: 0,
    otherJurisdictions: [],
    containers: {},
  },
};
const application = { id: "app-1", image: "image:1", settings: {}, rollout: null };
const facts: AccountFacts = {
  ...{ account: { id: "acc", name: "Trains" }, lacking: [], zones: [], database: null, hasBucket: true, secrets: [] },
  ...{
    application,
    imagesInUse: [],
    hasPreviewRecord: true,
    isPreviewRecordProxied: true,
    version: "1.0.0",
    located: [],
    deploymentId: "d1",
    taken: [],
  },
};
const keys = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };
const bucketSays = (status: number, code: string) => new Response(`<Error><Code>${code}</Code></Error>`, { status });
const ours = (status: number) => new Response(null, { status, headers: { "x-request-id": "1" } });

it.each<[string, Record<string, Response | null>, Partial<AccountFacts>, string[]]>([
  ["all that answers", {}, {}, []],
  ["a service that does not answer", { "/api/openapi.json": null }, {}, ["https://api.trains.test answers"]],
  [
    "a challenge before the webhook",
    { "/api/webhooks/github": new Response(null, { status: 403 }) },
    {},
    ["webhooks reach the service"],
  ],
  ["previews without a certificate", { "/": null }, {}, ["previews have a certificate, and reach the service"]],
  ["keys of another account", { "/b/doctor": bucketSays(403, "AccessDenied") }, {}, ["the S3 keys read the bucket"]],
  ["a bucket that is not there", { "/b/doctor": bucketSays(404, "NoSuchBucket") }, {}, ["the S3 keys read the bucket"]],
  ["a bucket that does not answer", { "/b/doctor": null }, {}, ["the S3 keys read the bucket"]],
  ["no image", {}, { application: null }, ["sandboxes have an image"]],
])("finds %s", async (_, answers, changes, wrong) => {
  const usual: Record<string, Response> = {
    "/api/openapi.json": ours(200),
    "/api/webhooks/github": ours(401),
    "/": ours(404),
    "/b/doctor": bucketSays(404, "NoSuchKey"),
  };
  const ask = async (url: string) => ({ ...usual, ...answers })[new URL(url).pathname] ?? null;
  const checks = await checkService(settings, { ...facts, ...changes }, keys, ask);
  expect(checks.filter(({ state }) => state === "wrong").map(({ what }) => what)).toEqual(wrong);
});

it("says that S3 keys which are not given are not checked", async () => {
  const checks = await checkService(settings, facts, {}, async () => ours(200));
  expect(checks.find(({ what }) => what === "the S3 keys read the bucket")).toMatchObject({
    state: "missing",
    help: expect.stringContaining("S3_ACCESS_KEY_ID"),
  });
});
