// A checkout with its own settings against a stand-in of the platform, and `npm run deploy` in it.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deploy } from "../../operate/cloudflare/deployment.ts";
import { createTools } from "../../operate/cloudflare/tools.ts";
import { accountId, type StandIn, startStandIn } from "./platform-stand-in.ts";
import { createStandInTools } from "./tools-stand-in.ts";

export type Deployment = Parameters<typeof deploy>[0];

/** What every deployment of a checkout gets: the platform's token, and a secret of the Worker. */
export const token = "the-token-of-the-platform";
export const clientSecret = "the-client-secret";

export interface Checkout {
  root: string;
  /** The platform; `renew` replaces it. */
  platform: StandIn;
  /** Replaces this account by an empty one. */
  renew(): Promise<void>;
  /** Takes the digest from the base image in the Dockerfile. */
  unpin(): Promise<void>;
  /** Deploys, and returns the output and the exit code. */
  run(more?: Partial<Deployment>): Promise<{ ended: string; steps: string[]; text: string }>;
  close(): Promise<void>;
}

const project = join(import.meta.dirname, "../..");
const folders = ["src", "durable-objects", "migrations", "node_modules"];
const files = ["package.json", "tsconfig.json", "sql-text.d.ts"];

/** wrangler and Docker, but for the list of images: wrangler asks a registry on the internet. */
export const createLocalTools: typeof createTools = (...given) => {
  const tools = createTools(...given);
  const isOfImages = (args: readonly string[]) => args[1] === "images";
  return { ...tools, readWrangler: async (...args) => (isOfImages(args) ? null : await tools.readWrangler(...args)) };
};

/** Docker, as far as wrangler calls it: it returns the digest of what was pushed. */
const dockerStandIn = (folder: string) => `#!/bin/sh
echo "$1" >> "${folder}/docker.log"
digest=sha256:$(printf %064d 7)
case "$*" in
  build*) cat > /dev/null ;;
  login*) cat > /dev/null ;;
  *RepoDigests*) echo "[\\"registry.cloudflare.com/${accountId}/switchyard-sandbox@$digest\\"]" ;;
  *.Size*) echo "1000 3" ;;
  "manifest inspect"*) [ -e "${folder}/pushed" ] && echo "{\\"Descriptor\\":{\\"digest\\":\\"$digest\\"}}" || exit 1 ;;
  pull*) echo "Digest: $digest" ;;
  push*) touch "${folder}/pushed" ;;
esac
`;

/** The lines of wrangler.toml that a second service in the account needs. */
const ofStaging = (settings: string) =>
  settings
    .replace(/sidings\.test/g, "staging-sidings.test")
    .replace(/api\.trains\.test/g, "staging.trains.test")
    .replace(/(\[env\.production\]\nname = "switchyard)"/, '$1-staging"')
    .replace(/((?:database_name|bucket_name) = "switchyard)"/g, '$1-staging"')
    .replace(/(r2\.cloudflarestorage\.com\/switchyard)"/, '$1-staging"');

/** Creates a checkout for an empty account; with another one's platform, that of its staging. */
export async function openCheckout(platform?: StandIn): Promise<Checkout> {
  const root = await mkdtemp(join(tmpdir(), "switchyard-operate-"));
  for (const name of [...folders, ...files]) await symlink(join(project, name), join(root, name));
  const program = await readdir(join(project, "sandbox-program"));
  await mkdir(join(root, "sandbox-program"));
  for (const name of program.filter((one) => one !== "dist" && one !== "Dockerfile"))
    await symlink(join(project, "sandbox-program", name), join(root, "sandbox-program", name));
  const dockerfile = await readFile(join(project, "sandbox-program/Dockerfile"), "utf8");
  const writeBase = (pin: string) =>
    writeFile(join(root, "sandbox-program/Dockerfile"), dockerfile.replace(/^(FROM [^\s@]+).*$/m, `$1${pin}`));
  await writeBase(`@sha256:${"7".repeat(64)}`);
  const text = await readFile(join(project, "wrangler.toml"), "utf8");
  const own = text
    .replace(/switchyard-sandboxes\.example/g, "sidings.test")
    .replace(/switchyard\.example/g, "api.trains.test");
  await writeFile(join(root, "wrangler.toml"), platform ? ofStaging(own) : own);
  await writeFile(join(root, "docker"), dockerStandIn(root));
  await chmod(join(root, "docker"), 0o755);
  const checkout: Checkout = {
    root,
    platform: platform ?? (await startStandIn()),
    async renew() {
      await checkout.platform.close();
      checkout.platform = await startStandIn();
    },
    unpin: () => writeBase(""),
    run: (more = {}) => run(checkout, more),
    async close() {
      if (!platform) await checkout.platform.close();
      await rm(root, { recursive: true });
    },
  };
  return checkout;
}

async function run({ root, platform }: Checkout, { env: added, ...more }: Partial<Deployment>) {
  const said: string[] = [];
  const env = {
    ...{ PATH: process.env.PATH, HOME: root, NO_COLOR: "1" },
    ...{ CLOUDFLARE_API_BASE_URL: platform.url, CLOUDFLARE_API_TOKEN: token },
    ...{ WRANGLER_DOCKER_BIN: join(root, "docker"), CODE_HOST_CLIENT_SECRET: clientSecret },
    ...added,
  };
  platform.changes.length = 0;
  const say = (line: string) => void said.push(line);
  const whole = {
    root,
    env,
    say,
    answers: async () => true,
    trySandbox: async () => {},
    location: "weur",
    keyChange: null,
  };
  const parts = {
    pausesMs: [1, 1],
    spreadMs: 1,
    openTools: createStandInTools(platform),
    prepareImage: async () => "0123456789abcdef",
    bundleProgram: async () => ({ program: "the command line", inputs: [] }),
    bundleConsole: async () => ({
      files: [
        { path: "_sy/index-1a2b.js", text: "a script" },
        { path: "index.html", text: "the console" },
      ],
      inputs: [],
    }),
    createSite: async () => ({
      files: [{ path: "/docs/", kind: "html" as const, base64: btoa("the docs") }],
      inputs: [],
    }),
    ...more,
  };
  const ended = await deploy({ ...whole, ...parts }).then(
    () => "deployed",
    (error: unknown) => String(error),
  );
  const steps = said.filter((line) => /^\d+\/\d+ /.test(line)).map((line) => line.replace(/^\d+\/\d+ /, ""));
  return { ended, steps, text: said.join("\n") };
}
