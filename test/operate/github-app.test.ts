// Creating the GitHub App by manifest, as a browser and GitHub do it: what GitHub gets, which
// requests are accepted, and where the secrets are stored.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listSecretMistakes, secretNames } from "../../operate/cloudflare/secrets.ts";
import { createApp } from "../../operate/github-app/create.ts";
import { createAppManifest, createAppUrl } from "../../operate/github-app/manifest.ts";
import { deleteCreatedApp, loadCreatedApp, saveCreatedApp } from "../../operate/github-app/undeployed.ts";
import { exchange } from "../support/http-exchange.ts";

const app = {
  id: 1001,
  html_url: "https://github.test/apps/trains",
  pem: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n",
  webhook_secret: "the-webhook-secret",
  client_id: "Iv1.trains",
  client_secret: "the-client-secret",
};
const asked: string[] = [];
let status = 201;
const host = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(app));
});

beforeEach(async () => {
  asked.length = 0;
  status = 201;
  await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
});
afterEach(() => new Promise<void>((closed) => void host.close(() => closed())));

/** Starts to create an App. Returns the page's address, and the result as a promise. */
async function begin(organization: string | null = null) {
  const apiUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const codeHost = { gitUrl: "https://github.test", apiUrl, withWorkflows: false };
  const { promise: told, resolve: tell } = Promise.withResolvers<string>();
  const made = createApp({ codeHost, publicHost: "api.trains.test", name: "Trains", organization, say: tell });
  const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(await told) ?? [];
  const page = await (await fetch(address)).text();
  const [, action = "", state = ""] = /action="([^"?]+\?state=([^"]+))"/.exec(page) ?? [];
  return { made, address, page, action, state };
}

test("GitHub gets the manifest, and the code it sends back is exchanged for the secrets", async () => {
  const { made, address, page, action, state } = await begin("acme");
  expect(action).toBe(createAppUrl("https://github.test", "acme", state));
  const [, value = ""] = /name="manifest" value="([^"]+)"/.exec(page) ?? [];
  expect(JSON.parse(value.replaceAll("&quot;", '"').replaceAll("&amp;", "&"))).toMatchObject({
    name: "Trains",
    redirect_url: `${address}/made`,
    callback_urls: ["https://api.trains.test/api/auth/github/callback"],
    hook_attributes: { url: "https://api.trains.test/api/webhooks/github" },
    public: false,
  });
  for (const wrong of ["/made", `/made?code=a&state=${state.slice(1)}`, `/made?state=${state}`])
    expect((await fetch(address + wrong)).status).toBe(400);
  expect(asked).toEqual([]);
  expect((await fetch(`${address}/made?code=the-code&state=${state}`)).status).toBe(200);
  expect(await made).toEqual({
    CODE_HOST_APP_ID: "1001",
    CODE_HOST_APP_PRIVATE_KEY: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    CODE_HOST_CLIENT_ID: app.client_id,
    CODE_HOST_CLIENT_SECRET: app.client_secret,
    CODE_HOST_WEBHOOK_SECRET: app.webhook_secret,
  });
  expect(asked).toEqual(["POST /app-manifests/the-code/conversions"]);
  expect(secretNames).toEqual(expect.arrayContaining(Object.keys(await made)));
  expect(listSecretMistakes(await made)).toEqual([]);
});

test("a page under a host name of its own that resolves to this machine is shown nothing, and gets no code accepted", async () => {
  const { made, address, state } = await begin();
  const as = (host: string, path: string) => exchange(address, { path, headers: { host } });
  for (const host of ["attacker.example", `127.0.0.1.attacker.example:${new URL(address).port}`]) {
    const shown = await as(host, "/");
    expect([shown.status, shown.text.includes(state)]).toEqual([421, false]);
    expect((await as(host, `/made?code=theirs&state=${state}`)).status).toBe(421);
  }
  expect(asked).toEqual([]);
  expect((await as(new URL(address).host, `/made?code=mine&state=${state}`)).status).toBe(200);
  await made;
  expect(asked).toEqual(["POST /app-manifests/mine/conversions"]);
});

test("a code that GitHub does not accept ends it with the next step", async () => {
  const { made, address, state } = await begin();
  status = 404;
  const refused = expect(made).rejects.toThrow("it answered 404. Run it again.");
  await fetch(`${address}/made?code=old&state=${state}`);
  await refused;
});

test("the permission for workflows is requested only where sessions may push them", () => {
  const wanted = { name: "Trains", publicHost: "api.trains.test", madeUrl: "http://127.0.0.1:1/made" };
  const permissions = (withWorkflows: boolean) => createAppManifest({ ...wanted, withWorkflows });
  expect(permissions(false)).toMatchObject({ default_permissions: { contents: "write", pull_requests: "write" } });
  expect(permissions(false)).not.toHaveProperty("default_permissions.workflows");
  expect(permissions(true)).toHaveProperty("default_permissions.workflows", "write");
});

test("its secrets are in a file that only its user can read, and are deleted once they are deployed", async () => {
  const root = await mkdtemp(join(tmpdir(), "switchyard-app-"));
  expect(loadCreatedApp(root)).toEqual({});
  saveCreatedApp(root, { CODE_HOST_CLIENT_SECRET: "a" });
  saveCreatedApp(root, { CODE_HOST_CLIENT_SECRET: "b" });
  expect((await stat(join(root, ".github-app.json"))).mode & 0o777).toBe(0o600);
  expect(loadCreatedApp(root)).toEqual({ CODE_HOST_CLIENT_SECRET: "b" });
  deleteCreatedApp(root);
  expect(loadCreatedApp(root)).toEqual({});
  await rm(root, { recursive: true });
});
