import { expect, it } from "vitest";
import type { AccountFacts } from "../../operate/account.ts";
import { checkService } from "../../operate/service-checks.ts";
import type { Settings } from "../../operate/settings.ts";

const settings: Settings = {
  ...{ workerName: "switchyard", publicHost: "api.trains.test", previewDomain: "sidings.test" },
  ...{ previewZone: "sidings.test", databaseName: "d", databaseId: "db-1", bucketName: "b", hasS3Endpoint: true },
};
const facts: AccountFacts = {
  ...{ account: { id: "acc", name: "Trains" }, lacking: [], zones: [], database: null, hasBucket: true, secrets: [] },
  ...{ image: "image:1", hasPreviewRecord: true },
};
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
  ["no image", {}, { image: null }, ["sandboxes have an image"]],
])("finds %s", async (_, answers, changes, wrong) => {
  const usual: Record<string, Response> = {
    "/api/openapi.json": ours(200),
    "/api/webhooks/github": ours(401),
    "/": ours(404),
  };
  const ask = async (url: string) => ({ ...usual, ...answers })[new URL(url).pathname] ?? null;
  const checks = await checkService(settings, { ...facts, ...changes }, ask);
  expect(checks.filter(({ state }) => state === "wrong").map(({ what }) => what)).toEqual(wrong);
});
