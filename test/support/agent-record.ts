// The conversation of a session's newest agent, from the agent's own file on the sandbox's disk.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";
import type { WorldAddress } from "./world-address.ts";

/** Reads the conversation of the session at a path. */
export async function agentRecord({ stateDir }: Pick<WorldAddress, "stateDir">, member: Client, sessionPath: string) {
  const sandboxKey = await member.getSandboxKey(sessionPath.split("/").at(-1) ?? "");
  const folder = join(stateDir, "sandboxes", sandboxKey, "state/conversations");
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, writtenAt: (await stat(path)).mtimeMs };
    }),
  );
  const [newest] = files.sort((one, other) => other.writtenAt - one.writtenAt);
  return await readFile(newest?.path ?? "", "utf8");
}
