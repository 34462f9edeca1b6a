// What a reviewer on a phone looks at below the last answer: the newest image and the checks. The
// turn that made the image may be folded.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArtifactContent } from "../artifacts/content.tsx";
import { artifactQuery, artifactsQuery } from "../artifacts/queries.ts";
import type { LiveSession } from "../session/live-session.ts";
import { toVisibleName } from "../ui/visible.ts";
import { Review } from "./review.tsx";

export function Glance({ live }: { live: LiveSession }) {
  const session = live.session ?? { projectId: "", id: "" };
  const { data: list } = useQuery({ ...artifactsQuery(session), enabled: live.session !== null });
  const newest = list?.find(({ kind }) => kind === "image");
  const { data: image } = useQuery({ ...artifactQuery(session, newest?.id ?? ""), enabled: newest !== undefined });
  return (
    <section aria-label="For the review" className="flex flex-col gap-3">
      {image && (
        <div className="relative h-44 overflow-hidden rounded-card border border-line">
          <ArtifactContent artifact={image} />
          <Link
            to="/s/$session"
            params={{ session: session.id }}
            search={{ panel: "artifacts", file: image.id }}
            aria-label={`Open ${toVisibleName(image.title)}`}
            className="absolute inset-0 rounded-card outline-offset-[-2px]"
          />
        </div>
      )}
      <Review live={live} />
    </section>
  );
}
