// The artifacts of a session: documents, mockups, images and videos.
import { writeFile } from "node:fs/promises";
import type { Command } from "@commander-js/extra-typings";
import type { Schemas, Session, Switchyard } from "@switchyard/client";
import { createAction } from "../action.ts";
import type { Output } from "../command.ts";
import { NotFoundError, UsageError } from "../exit.ts";
import { findSession } from "../find.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine, toPrinted } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

const operation = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";

/** Adds `artifacts`. */
export function addArtifactsCommand(program: Command, output: () => Output): void {
  program
    .command("artifacts [id] [get] [slug]")
    .description("list the artifacts of a session; `get SLUG` prints one")
    .option("-o, --output <file>", "with get: write it into this file")
    .action(
      createAction(output)(async (sy, id, get, slug, { output: file }) => {
        const session = await findSession(sy, id);
        const path = { projectId: session.projectId, sessionId: session.id };
        const { artifacts } = await sy.request(`GET ${operation}`, { path });
        if (get === undefined) return { data: artifacts, lines: formatTable(artifacts.map(toArtifactRow)) };
        if (get !== "get" || slug === undefined) throw new UsageError("Write it as: sy artifacts ID get SLUG");
        const artifact = await readArtifact(sy, session, artifacts, slug);
        if (file !== undefined) {
          await writeFile(file, await readContent(artifact));
          return { data: { ...artifact, file }, lines: [`${toLine(artifact.title)} is in ${file}`] };
        }
        if (artifact.body === null)
          throw new UsageError(`${toLine(artifact.title)} is no text. Name a file for it with -o.`);
        return { data: artifact, lines: [toPrinted(artifact.body)] };
      }),
    );
}

async function readArtifact(
  sy: Switchyard,
  { projectId, id: sessionId }: Session,
  listed: readonly Schemas["ArtifactRow"][],
  slug: string,
): Promise<Schemas["Artifact"]> {
  const found = listed.find((artifact) => artifact.slug === slug || artifact.id === slug);
  if (!found) throw new NotFoundError(`There is no artifact ${slug}.`, `sy artifacts ${toShortId(sessionId)}`);
  return await sy.request(`GET ${operation}/{artifactId}`, { path: { projectId, sessionId, artifactId: found.id } });
}

/** The text of an artifact, or the bytes at its address, which needs no key. */
async function readContent({ body, url, title }: Schemas["Artifact"]): Promise<string | Uint8Array> {
  if (body !== null || url === null) return body ?? "";
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${toLine(title)} was answered with ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

function toArtifactRow({ slug, kind, version, updatedAt, title }: Schemas["ArtifactRow"]): string[] {
  return [toLine(slug), kind, `v${version}`, formatTime(updatedAt), toLine(title)];
}
