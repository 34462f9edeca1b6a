// One artifact of a run, over the page.
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { ArtifactContent } from "../artifacts/content.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { type RunPath, runArtifactQuery } from "./queries.ts";

interface RunArtifactProps {
  path: RunPath;
  /** Null where none is shown. */
  artifactId: string | null;
  onClose: () => void;
}

export function RunArtifact({ path, artifactId, onClose }: RunArtifactProps) {
  const { data, error, refetch } = useQuery({
    ...runArtifactQuery(path, artifactId ?? ""),
    enabled: artifactId !== null,
  });
  const isText = data?.kind === "markdown";
  return (
    <Dialog
      title={data?.title ?? "Artifact"}
      isOpen={artifactId !== null}
      onClose={onClose}
      className="w-[min(56rem,calc(100vw-2rem))]! p-4"
    >
      {error && (
        <div className="mt-3">
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      <div className={`mt-2 ${isText ? "" : "h-[55dvh]"}`}>{data && <ArtifactContent artifact={data} />}</div>
      <div className="mt-4 flex justify-end gap-2">
        {data?.url && (
          <a href={data.url} target="_blank" rel="noopener noreferrer" className={buttonClass("bare")}>
            <ExternalLink className="size-4" aria-hidden="true" /> Open
          </a>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
