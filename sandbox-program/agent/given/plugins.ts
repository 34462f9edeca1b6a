// The plugins of a turn: those that the session's Assignee has switched on. Messages call their
// skills and commands. An unavailable plugin is reported to the service and never fails the turn.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { formatInstructions } from "../../../src/plugin/rules/agent.ts";
import { type PluginParts, readParts } from "../../../src/plugin/rules/components.ts";
import { findInstructions, formatPluginContent } from "../../../src/plugin/rules/contents.ts";
import { pluginFileBytes, pluginFileCount, pluginTotalBytes } from "../../../src/rules/limits.ts";
import type { GivenPlugin, InstallReport } from "../../../src/sandbox-protocol/protocol.ts";
import type { SkillCall } from "../../../src/skill/rules/skill-call.ts";
import { findPathMistake } from "../../../src/skill/rules/skill-files.ts";
import type { Folders } from "../../folders.ts";
import { fetchFromService } from "../../http/service-fetch.ts";
import { type Fetching, type GivenForm, type Had, updateFolders } from "./folder.ts";

/** A plugin that the turn has. */
export interface TakenPlugin {
  name: string;
  hash: string;
  folder: string;
  parts: PluginParts;
}

export interface GivenPlugins {
  taken: TakenPlugin[];
  /**
   * The instructions for a call by `plugin:name`, or by a bare name that only one plugin has. Null
   * if there are none.
   */
  instructions(call: SkillCall): string | null;
}

const tarBytesPerFile = 4_096;

const form: GivenForm = {
  answerBytesMax: pluginTotalBytes + pluginFileCount * tarBytesPerFile,
  fileCount: pluginFileCount,
  fileBytes: pluginFileBytes,
  async filesIn(answer) {
    const entries = await unpackTar(answer, { strict: true });
    return entries.map(({ header: { name, mode = 0 }, data }) => {
      const mistake = data === undefined ? "is no file" : findPathMistake(name);
      if (mistake !== null || data === undefined) throw new Error(`its file ${JSON.stringify(name)} ${mistake}.`);
      return { path: name, isExecutable: (mode & 0o100) !== 0, bytes: data };
    });
  },
  hashGivenFiles: (files) =>
    sha256(formatPluginContent(files.map((file) => ({ ...file, digest: sha256(file.bytes) })))),
};

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("base64url");

/** Why a plugin cannot do everything that it declares in this sandbox; null if it can. */
export type Shortfall = (plugin: TakenPlugin) => string | null;

/** Updates the plugins folder to what the turn was given. Never throws. */
export async function updatePlugins(
  { plugins: place }: Pick<Folders, "plugins">,
  given: readonly GivenPlugin[],
  shortfall: Shortfall,
  fetching: Fetching,
): Promise<GivenPlugins> {
  const had = await updateFolders(place, given, form, fetching);
  const takings = given.map((plugin) => ({ plugin, ...toTaken(plugin, had.get(plugin.hash), shortfall) }));
  await Promise.all(takings.map(({ plugin, failure }) => report(plugin, failure, fetching)));
  const taken = takings.flatMap((one) => one.taken ?? []);
  return {
    taken,
    instructions({ name, argument }) {
      const [, plugin, own] = /^([^:]+):([^:]+)$/.exec(name) ?? [];
      const asked = plugin === undefined ? taken : taken.filter((one) => one.name === plugin);
      const found = asked.flatMap((one) => findCall(one, own ?? name, argument) ?? []);
      return found.length === 1 ? (found[0] ?? null) : null;
    },
  };
}

function toTaken(
  { name, hash }: GivenPlugin,
  had: Had | undefined,
  shortfall: Shortfall,
): { taken: TakenPlugin | null; failure: string | null } {
  if (had === undefined || "error" in had) return { taken: null, failure: had?.error ?? "It was not fetched." };
  const parts = readParts(had.files);
  if ("refusal" in parts) return { taken: null, failure: `It cannot be used: ${parts.refusal}.` };
  const taken = { name, hash, folder: had.folder, parts };
  return { taken, failure: shortfall(taken) };
}

function findCall({ folder, parts }: TakenPlugin, name: string, argument: string): string | null {
  const found = findInstructions(parts, name);
  if (found === null) return null;
  const own = join(folder, found.folder);
  const filled = formatInstructions(found.instructions, { argument, pluginFolder: folder, skillFolder: own });
  return `References are relative to ${own}.\n\n${filled}`;
}

/** Reports a failure, and the first success after one. In other turns it makes no request. */
async function report(
  { url, hasFailed }: GivenPlugin,
  failure: string | null,
  { token, signal }: Fetching,
): Promise<void> {
  if (failure === null && !hasFailed) return;
  const body: InstallReport = { failure };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fetchFromService(url, { method: "PUT", headers, body: JSON.stringify(body), signal })
    .then((answer) => answer.body?.cancel())
    .catch(() => {});
}
