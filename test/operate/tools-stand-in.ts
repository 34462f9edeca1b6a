// Stand-ins of wrangler and Docker, for tests that do not need the real ones: they change the
// account as the real ones would.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import type { createTools } from "../../operate/cloudflare/tools.ts";
import { Stop } from "../../operate/lib/exit.ts";
import { changeApplication } from "./applications-stand-in.ts";
import { type Account, getWorker, type StandIn } from "./platform-stand-in.ts";

type Config = ReturnType<typeof unstable_readConfig>;

/** Tools that work on a stand-in of the platform, and record their commands there. */
export function createStandInTools(platform: StandIn): typeof createTools {
  return (root) => ({
    async quietWrangler(...args) {
      await this.wrangler(...args);
      return "";
    },
    async wrangler(...args) {
      const command = args.slice(0, args[0] === "deploy" ? 1 : 2).join(" ");
      platform.tools.push(command);
      if (command === platform.failing) throw new Stop(`${command} failed`);
      const { account } = platform;
      const built = command === "containers build" ? getOption(args, "--tag") : null;
      if (built !== null && !account.images.includes(built)) account.images.push(built);
      if (command === "r2 object")
        account.objects.set(storedName(args), readFileSync(getOption(args, "--file"), "utf8"));
      if (command === "secret delete") {
        const { name = "" } = unstable_readConfig({
          config: join(root, "wrangler.toml"),
          env: getOption(args, "--env"),
        });
        const worker = getWorker(account, name);
        delete worker.secrets[args[2] ?? ""];
        worker.deployments++;
      }
      if (command !== "deploy") return;
      const config = unstable_readConfig({
        ...{ config: join(root, getOption(args, "--config")), env: getOption(args, "--env") },
      });
      const file = args.indexOf("--secrets-file");
      const secrets = file < 0 ? {} : JSON.parse(readFileSync(args[file + 1] ?? "", "utf8"));
      const worker = getWorker(account, config.name ?? "");
      Object.assign(worker, { secrets: { ...worker.secrets, ...secrets }, program: config.vars.SANDBOX_PROGRAM });
      worker.deployments++;
      worker.bucket = config.r2_buckets[0]?.bucket_name;
      worker.databaseId = config.d1_databases[0]?.database_id;
      worker.hosts = ((config.routes ?? []) as { pattern: string }[]).map(({ pattern }) => pattern);
      worker.jurisdiction = String(config.vars.JURISDICTION);
      worker.message = args[args.indexOf("--message") + 1];
      worker.counters = (config.ratelimits as { namespace_id: string }[]).map((limit) => limit.namespace_id);
      if (!args.includes("--containers-rollout")) applyContainers(account, config);
    },
    async readWrangler(...args) {
      const { images, objects } = platform.account;
      if (args[0] === "r2") return objects.get(storedName(args)) ?? null;
      const byRepository = Map.groupBy(images, (image) => image.split(":")[0] ?? "");
      if (args[2] === "list")
        return JSON.stringify(
          [...byRepository].map(([name, of]) => ({ name, tags: of.map((image) => image.split(":")[1]) })),
        );
      if (args[2] === "delete" && !images.includes(args[3] ?? "")) return null;
      if (args[2] === "delete") images.splice(images.indexOf(args[3] ?? ""), 1);
      return args[0] === "containers" ? "" : null;
    },
    isDockerReachable: async () => platform.hasDocker,
    pullImage: async () => null,
  });
}

const getOption = (args: readonly string[], name: string) => args[args.indexOf(name) + 1] ?? "";

/** The bucket and the key of an object, below the jurisdiction if it has one. */
const storedName = (args: readonly string[]) =>
  [...(args.includes("--jurisdiction") ? [getOption(args, "--jurisdiction")] : []), args[3]].join("/");

/** Applies the containers of the settings, as wrangler does: what differs becomes a change. */
function applyContainers(account: Account, config: Config): void {
  for (const container of config.containers ?? []) {
    const { name = "", image = "", instance_type, ssh, wrangler_ssh = ssh } = container;
    const { max_instances, rollout_active_grace_period } = container;
    const settings = {
      ...{ constraints: container.constraints ?? {} },
      ...{ name, max_instances, rollout_active_grace_period, observability: { logs: config.observability } },
      configuration: { image, instance_type, wrangler_ssh },
    };
    const known = account.applications.find((application) => application.name === name);
    if (known) changeApplication(account, known, "", settings);
    else account.applications.push({ id: `app-${account.applications.length + 1}`, ...settings });
  }
}
