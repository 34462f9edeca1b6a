// The artifact tool: publishes a document, a mockup, an image or a video. Artifacts outlive the
// session.
import { artifactKinds, isTextKind, readNaming } from "../../../src/artifact/rules/artifact.ts";
import type { Redaction } from "../../../src/rules/redaction.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { Folders } from "../../folders.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentTool } from "../agent.ts";
import type { FileAccess } from "../file-access.ts";
import { readFileContent, toTextContent } from "./artifact-content.ts";
import { type ArtifactStorage, type ArtifactUpload, uploadArtifact } from "./artifact-upload.ts";

export interface ArtifactAccess extends ArtifactStorage {
  folders: Folders;
  /** The files that the agent may read. */
  files: FileAccess;
  redaction: Redaction;
}

/** Writes artifacts on behalf of the turn. */
export function createArtifactTool(access: ArtifactAccess): AgentTool {
  return {
    name: "artifact",
    label: "Artifact",
    description:
      "Write an artifact: something for people to read or look at, kept with the session and not in the repository. Do it when the user " +
      "asks for a document, report, mockup, screenshot or recording. `markdown` is a document and `html` a mockup, one self-contained page " +
      "whose styles, scripts and images are inline; give their text as `content`, or a `path`. `image` and `video` take the `path` of a file, " +
      "whose content has to be one. Writing a slug again replaces that artifact and increments its version. A report with a version of its own declares it in its " +
      'page, and that version is used: `<meta name="artifact-version" content="7">` in html, a line `version: 7` in the front matter of markdown.',
    parameters: {
      type: "object",
      properties: {
        slug: { type: "string", description: "Names the artifact in this session: letters, digits and `-`" },
        title: { type: "string", description: "The title that people see" },
        kind: { type: "string", enum: [...artifactKinds] },
        content: { type: "string", description: "The whole text, for markdown and html" },
        path: { type: "string", description: "The file, from the checkout or absolute; for image and video" },
      },
      required: ["slug", "title", "kind"],
    },
    run: async (input, signal) => {
      const upload = await readInput(access, toFields(input));
      const stored = await uploadArtifact(access, upload, signal);
      const { slug, title, kind } = upload.naming;
      return {
        text: `Written: ${kind} "${title}", slug ${slug}, version ${stored.version}.`,
        endsTurn: false,
        event: { type: "artifact", artifact: { ...upload.naming, ...stored } },
      };
    },
  };
}

async function readInput(
  { folders, files, redaction }: ArtifactAccess,
  { slug, title, kind, content, path }: Record<string, unknown>,
): Promise<ArtifactUpload> {
  const naming = readNaming(redaction.value({ slug, title, kind }));
  if (isRefusal(naming)) throw new Error(naming.message);
  if (typeof path === "string" && path !== "")
    return { naming, content: await readFileContent(naming.kind, { folders, files }, path, redaction) };
  if (!isTextKind(naming.kind)) throw new Error("Give the `path` of a file.");
  if (typeof content !== "string") throw new Error("Give the text as `content`, or the `path` of a file.");
  return { naming, content: toTextContent(naming.kind, content, redaction) };
}
