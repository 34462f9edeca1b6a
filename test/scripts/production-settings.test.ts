// The settings of production: nothing in them opens what only the one-machine world may have.
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { buildSandboxProgram } from "../../sandbox-program/build.mjs";
import { serviceHost } from "../../src/network/rules/decide.ts";
import { getLeastIdleMs, isDevSignInOpen, isOneMachine, isRateLimitLifted } from "../../src/one-machine.ts";
import {
  apiKeyRequestsPerMinute,
  deviceSignInsPerMinute,
  failedCredentialsPerMinute,
  keyTrialsPerMinute,
  sharedArtifactRequestsPerMinute,
  sharedPreviewRequestsPerMinute,
  triggerRequestsPerMinute,
  userRequestsPerMinute,
} from "../../src/rules/limits.ts";
import { programPort } from "../../src/sandbox/rules/program-version.ts";

const config = fileURLToPath(new URL("../../wrangler.toml", import.meta.url).href);
const readSettings = (env?: string) =>
  unstable_readConfig({ config, ...(env ? { env } : {}) }).vars as Record<
    "PUBLIC_URL" | "SANDBOX_HOST_URL" | "SANDBOX_TO_SERVICE_URL" | "SANDBOX_NETWORKS" | "PREVIEW_DOMAIN",
    string
  >;
const production = readSettings("production");
const here = { PUBLIC_URL: "http://localhost:8787", SANDBOX_HOST_URL: "http://127.0.0.1:8788" };

it.each(["DEV_SIGN_IN", "RATE_LIMITS", "IDLE_MINUTES", "WEBHOOKS_TO_LOOPBACK"])(
  "wrangler.toml never names %s",
  (setting) => {
    for (const settings of [readSettings(), production]) expect(Object.keys(settings)).not.toContain(setting);
  },
);

it("the request limits are the contract's, and production does not disable them", () => {
  for (const env of [{}, { env: "production" }]) {
    const ratelimits: { name: string; simple: unknown }[] = unstable_readConfig({ config, ...env }).ratelimits;
    expect(Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple]))).toEqual({
      KEY_REQUESTS: { limit: apiKeyRequestsPerMinute, period: 60 },
      FAILED_CREDENTIALS: { limit: failedCredentialsPerMinute, period: 60 },
      DEVICE_SIGN_INS: { limit: deviceSignInsPerMinute, period: 60 },
      TRIGGER_REQUESTS: { limit: triggerRequestsPerMinute, period: 60 },
      KEY_TRIALS: { limit: keyTrialsPerMinute, period: 60 },
      USER_REQUESTS: { limit: userRequestsPerMinute, period: 60 },
      SHARED_PREVIEW_REQUESTS: { limit: sharedPreviewRequestsPerMinute, period: 60 },
      SHARED_ARTIFACT_REQUESTS: { limit: sharedArtifactRequestsPerMinute, period: 60 },
    });
  }
  expect(isRateLimitLifted({ ...production, RATE_LIMITS: "off" }, "keys")).toBe(false);
  expect(isRateLimitLifted({ ...here, RATE_LIMITS: "off" }, "keys")).toBe(true);
  expect(isRateLimitLifted({ ...here, RATE_LIMITS: "visitors" }, "keys")).toBe(true);
  expect(isRateLimitLifted({ ...here, RATE_LIMITS: "visitors" }, "visitors")).toBe(false);
  expect(isRateLimitLifted(here, "keys")).toBe(false);
});

it("every setting of the Worker is in wrangler.toml or, if it is a secret, in the reference of settings; wrangler.toml has no secret", () => {
  const text = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url).href), "utf8");
  const settings = [...text("src/env.ts").matchAll(/^ {2}([A-Z0-9_]+)\??: string;$/gm)].map(([, name = ""]) => name);
  expect(settings).toContain("SIGNING_KEY");
  /** What a deployed service goes without. */
  const elsewhere = [
    "MODEL_LABEL_NOTES",
    "PREVIEW_AUTO_RESUME",
    "DEV_SIGN_IN",
    "RATE_LIMITS",
    "IDLE_MINUTES",
    "WEBHOOKS_TO_LOOPBACK",
  ];
  const secrets = settings.filter((name) => !(name in production) && !elsewhere.includes(name));
  expect(secrets.filter((name) => !text("docs/reference/settings.md").includes(`\`${name}\``))).toEqual([]);
  const secret = /TOKEN|SECRET|PRIVATE|SIGNING|SEALING|ACCESS_KEY/;
  expect(settings.filter((name) => secret.test(name) && name in production)).toEqual([]);
});

it("a sandbox lives longer only on one machine", () => {
  expect(getLeastIdleMs({ ...production, IDLE_MINUTES: "60" })).toBe(0);
  expect(getLeastIdleMs({ ...here, IDLE_MINUTES: "60" })).toBe(60 * 60_000);
  expect(getLeastIdleMs(here)).toBe(0);
});

it("production does not have the sign-in without a proof, even if somebody sets it", () => {
  expect(isOneMachine(production)).toBe(false);
  expect(isDevSignInOpen({ ...production, DEV_SIGN_IN: "on" })).toBe(false);
});

it("the sign-in without a proof needs the exact setting, and loopback on both sides", () => {
  expect(isDevSignInOpen({ ...here, DEV_SIGN_IN: "on" })).toBe(true);
  expect(isDevSignInOpen(here)).toBe(false);
  for (const word of ["", "off", "ON", "true", "1", " on"])
    expect(isDevSignInOpen({ ...here, DEV_SIGN_IN: word })).toBe(false);
  for (const url of [
    "https://switchyard.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "",
  ]) {
    expect(isDevSignInOpen({ ...here, PUBLIC_URL: url, DEV_SIGN_IN: "on" })).toBe(false);
    expect(isDevSignInOpen({ ...here, SANDBOX_HOST_URL: url, DEV_SIGN_IN: "on" })).toBe(false);
  }
});

describe("the sandboxes of production", () => {
  const { containers, migrations, routes, durable_objects } = unstable_readConfig({ config, env: "production" });
  const bindings: { name: string; class_name: string }[] = durable_objects.bindings;

  it("are containers of the sandbox program's image, with a bound class", () => {
    expect(production.SANDBOX_HOST_URL).toBe("");
    expect(containers).toEqual([
      expect.objectContaining({
        class_name: "SandboxContainer",
        image: expect.stringMatching(/\/sandbox-program\/Dockerfile$/),
        image_build_context: expect.stringMatching(/\/sandbox-program\/dist$/),
      }),
    ]);
    expect(bindings).toContainEqual({ name: "CONTAINER", class_name: "SandboxContainer" });
  });

  it("are not bound on one machine, where the sandbox host replaces them", () => {
    const local = unstable_readConfig({ config });
    expect(local.containers ?? []).toEqual([]);
    const localBindings: { name: string }[] = local.durable_objects.bindings;
    expect(localBindings.map(({ name }) => name)).not.toContain("CONTAINER");
    expect(local.vars.SANDBOX_HOST_URL).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  it("are created, like every other bound class, by one migration, as on one machine", () => {
    const classes = (environment: { migrations: { new_sqlite_classes?: string[] }[] }) =>
      environment.migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes).toSorted();
    const bound = bindings.map(({ class_name }) => class_name).toSorted();
    expect(classes({ migrations })).toEqual(bound);
    expect(classes(unstable_readConfig({ config }))).toEqual(bound.filter((name) => name !== "SandboxContainer"));
  });

  it("have previews on every host of the preview domain, which is another site than the API's", () => {
    const { PREVIEW_DOMAIN, PUBLIC_URL } = production;
    const previews = `*.${PREVIEW_DOMAIN}/*`;
    const zone = PREVIEW_DOMAIN.split(".").slice(-2).join(".");
    expect(routes).toContainEqual({ pattern: previews, zone_name: zone });
    expect(new URL(PUBLIC_URL).hostname.endsWith(zone)).toBe(false);
  });

  it("call the service by the name that the platform catches", () => {
    expect(production.SANDBOX_TO_SERVICE_URL).toBe(`http://${serviceHost}`);
  });

  it("are held to the networks of their projects", () => {
    expect(production.SANDBOX_NETWORKS).toBe("held");
  });
});

describe("the image of a sandbox", () => {
  const readImageFile = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../sandbox-program/${name}`, import.meta.url).href), "utf8");
  const dockerfile = readImageFile("Dockerfile");
  const lines = dockerfile.split("\n");
  const last = (instruction: string) => lines.findLast((line) => line.startsWith(`${instruction} `));

  it("uses the Node version that the program is built for", () => {
    expect(last("FROM")).toMatch(/^FROM node:22\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/);
  });

  it("contains every file of the built program, and its own tag, in one folder", async () => {
    const dist = await mkdtemp(join(tmpdir(), "switchyard-image-"));
    await buildSandboxProgram(join(dist, "sandbox.cjs"));
    const built = await readdir(dist);
    await rm(dist, { recursive: true });
    const [, ...copied] = last("COPY")?.split(" ").slice(1) ?? [];
    expect(copied.at(-1)).toBe("/opt/sandbox/");
    expect(copied.slice(0, -1).toSorted()).toEqual([...built, "image-tag"].toSorted());
  });

  it("starts the program as a user of its own, with the two capabilities that change users, under an init process", () => {
    expect(last("USER")).toBe("USER root");
    expect(readImageFile("start.sh")).toMatch(
      /^leaving="setpriv --reuid=program .* --ambient-caps=-all,\+setuid,\+setgid --"$/m,
    );
    const start = lines.slice(lines.findIndex((line) => line.startsWith("ENTRYPOINT "))).join("");
    const [, ...argv] = /^ENTRYPOINT (\[.*\])$/.exec(start.replaceAll("\\", "")) ?? [];
    expect(JSON.parse(argv[0] ?? "[]")).toEqual([
      ...["sh", "/opt/sandbox/start.sh", "tini", "--", "prlimit", "--core=0"],
      ...["node", "--disable-sigusr1", "--max-semi-space-size=1", "/opt/sandbox/sandbox.cjs"],
    ]);
    expect(last("ENV")).toContain("SANDBOX_WALL=users");
  });

  it("has the program's compiled code, of the flags that it starts with", () => {
    const flags = "node --disable-sigusr1 --max-semi-space-size=1 /opt/sandbox/sandbox.cjs";
    expect(dockerfile).toMatch(new RegExp(`^ENV NODE_COMPILE_CACHE=.*\\nRUN (.*\\\\\\n)+  ${flags} < /dev/null`, "m"));
  });

  it("gives back the memory that the program frees", () => {
    expect(dockerfile).toMatch(/^ENV MALLOC_TRIM_THRESHOLD_=131072$/m);
  });

  it("sets all settings of the program except its secret", () => {
    expect(last("ENV")).toContain(`SANDBOX_ROOT=/sandbox SANDBOX_WALL=users HOST=0.0.0.0 PORT=${programPort} `);
    expect(last("EXPOSE")).toBe(`EXPOSE ${programPort}`);
    const settings = lines.filter((line) => line.startsWith("ENV ")).join("\n");
    expect(settings).not.toMatch(/SANDBOX_SECRET|SANDBOX_PORTS|SANDBOX_LEASH/);
  });

  it.each(["bash", "git", "gzip", "procps", "ripgrep", "tar", "tini"])("has %s", (tool) => {
    expect(dockerfile.match(/apt-get install[^&]*/)?.[0].split(/[\s\\]+/)).toContain(tool);
  });
});
