// What is in an artifact: a document, a mockup, an image or a video.
import type { Schemas } from "@switchyard/client";
import { ExternalLink, FileText, Image, MonitorPlay, PenLine } from "lucide-react";
import { useState } from "react";
import { Markdown } from "../conversation/markdown.tsx";
import { buttonClass } from "../ui/button.tsx";

export const artifactKinds: Record<Schemas["ArtifactKind"], { word: string; Icon: typeof FileText }> = {
  markdown: { word: "Document", Icon: FileText },
  html: { word: "Mockup", Icon: PenLine },
  image: { word: "Image", Icon: Image },
  video: { word: "Video", Icon: MonitorPlay },
};

/** The address under which it was opened first is loaded: a new one would load the same again. */
function Framed({ title, url }: { title: string; url: string }) {
  const [src] = useState(url);
  return (
    <iframe
      src={src}
      title={title}
      sandbox="allow-scripts"
      allow="fullscreen"
      referrerPolicy="no-referrer"
      className="block h-full w-full border-0 bg-white"
    />
  );
}

export function ArtifactContent({ artifact }: { artifact: Schemas["Artifact"] }) {
  const { id, version, kind, title, body, url, mediaType, byteSize, viewUrl } = artifact;
  if (kind === "markdown")
    return (
      <div className="p-4 text-prose">
        <Markdown text={body ?? ""} />
      </div>
    );
  if (viewUrl !== null) return <Framed key={`${id} ${version}`} title={title} url={viewUrl} />;
  if (url === null) return null;
  return (
    <div className="px-4 py-10 text-center">
      <p className="text-quiet">
        {mediaType}
        {byteSize !== null && `, ${Math.max(1, Math.round(byteSize / 1_024))} KB`}
      </p>
      <a href={url} target="_blank" rel="noopener noreferrer" className={`${buttonClass("main")} mt-4`}>
        <ExternalLink className="size-4" aria-hidden="true" /> Open the {kind}
      </a>
    </div>
  );
}
