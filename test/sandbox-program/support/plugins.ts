// Plugins that the service gives to turns of a test.
import { createHash } from "node:crypto";
import { packTar } from "modern-tar";
import { formatPluginContent } from "../../../src/plugin/rules/contents.ts";
import type { GivenPlugin } from "../../../src/sandbox-protocol/protocol.ts";
import type { World } from "./world.ts";

export interface PluginTestFile {
  path: string;
  content: string;
  isExecutable?: boolean;
  type?: "symlink";
}

const sha256 = (content: string) => createHash("sha256").update(content).digest("base64url");

/** Offers a plugin as the service does. */
export async function offer(
  { api }: Pick<World, "api">,
  name: string,
  files: PluginTestFile[],
  more: Partial<GivenPlugin> = {},
): Promise<GivenPlugin> {
  const tar = await packTar(
    files.map(({ path, content, isExecutable = false, type }) =>
      type === "symlink"
        ? { header: { name: path, size: 0, type, linkname: content } }
        : {
            header: { name: path, size: Buffer.byteLength(content), mode: isExecutable ? 0o755 : 0o644 },
            body: content,
          },
    ),
  );
  const hashed = files.map(({ path, content, isExecutable = false }) => ({
    path,
    isExecutable,
    digest: sha256(content),
  }));
  const { url } = api.attach(name, "application/x-tar", Buffer.from(tar));
  return { name, hash: sha256(formatPluginContent(hashed)), url, hasFailed: false, ...more };
}
