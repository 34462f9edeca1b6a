// What a sandbox shares with the machine.
import { join } from "node:path";
import { expect, test } from "vitest";
import { getMachine } from "../../practice/sandbox-host/machine.ts";

const root = join(import.meta.dirname, "../..");

test("only certificates and registries of the environment are shared", () => {
  const certificates = join(root, "package.json");
  const { variables, files } = getMachine({
    NODE_EXTRA_CA_CERTS: certificates,
    SSL_CERT_FILE: "/nowhere/at-all.pem",
    npm_config_registry: "https://packages.example.com/npm/",
    npm_config__auth: "secret",
    "npm_config_//packages.example.com/:_authToken": "secret",
    GITHUB_TOKEN: "secret",
    HTTPS_PROXY: "http://user:secret@proxy.example.com",
  });
  expect(variables).toEqual({
    NODE_EXTRA_CA_CERTS: certificates,
    npm_config_registry: "https://packages.example.com/npm/",
  });
  expect(files).toEqual([certificates]);
});

test.each([
  ["https://me:secret@packages.example.com/simple?token=secret#secret", "https://packages.example.com/simple"],
  [
    "https://secret@one.example.com/a, http://two.example.com:81",
    "https://one.example.com/a,http://two.example.com:81/",
  ],
  ["https://one.example.com/ https://me:secret@two.example.com/", "https://one.example.com/ https://two.example.com/"],
  ["https://me:secret@go.example.com|direct", "https://go.example.com/|direct"],
  ["https://me:sec/ret@packages.example.com/", undefined],
  ["https://packages.example.com/me:secret%40x", undefined],
  ["file:///home/me/secret", undefined],
  ["me:secret", undefined],
])("the registry URL %j is shared as %j", (given, shared) => {
  expect(getMachine({ PIP_EXTRA_INDEX_URL: given }).variables.PIP_EXTRA_INDEX_URL).toBe(shared);
});

test("the PATH of a sandbox has all folders except Switchyard's own", () => {
  const own = ["node_modules/.bin", "../node_modules/.bin"].map((folder) => join(root, folder));
  const gyp = "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin";
  const others = ["/home/me/bin", "/home/me/tool/node_modules/.bin", "/usr/bin"];
  expect(getMachine({ PATH: [...own, gyp, ...others].join(":") }).path).toBe(others.join(":"));
});
