// Stand-ins of wrangler and Docker, for tests that do not need the real ones: they change the
// account as the real ones would.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Stop } from "../../operate/stop.ts";
import type { openTools } from "../../operate/tools.ts";
import type { StandIn } from "./platform-stand-in.ts";

/** Tools that work on a stand-in of the platform, and record their commands there. */
export function toolsOf(platform: StandIn): typeof openTools {
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
      if (command === "secret delete") delete account.secrets?.[args[2] ?? ""];
      if (command !== "deploy") return;
      const settings = readFileSync(join(root, args[args.indexOf("--config") + 1] ?? ""), "utf8");
      const file = args.indexOf("--secrets-file");
      const secrets = file < 0 ? {} : JSON.parse(readFileSync(args[file + 1] ?? "", "utf8"));
      account.secrets = { ...account.secrets, ...secrets };
      if (!args.includes("--containers-rollout")) account.image = /^image = "(.*)"$/m.exec(settings)?.[1] ?? null;
    },
    readWrangler: async () => null,
    isDockerReachable: async () => platform.hasDocker,
  });
}
