// The review of a pull request: its checks and its reviewers, as the code host shows them.
import type { Schemas } from "@switchyard/client";
import { ChevronRight, ExternalLink } from "lucide-react";
import type { LiveSession } from "../session/live-session.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import {
  countChecks,
  findWorstOutcome,
  getCheckOutcome,
  outcomeMarks as marks,
  reviewerWords,
  writeChecks,
} from "./review-words.ts";
import { useReview } from "./use-review.ts";

export function Review({ live }: { live: LiveSession }) {
  const { data, error, refetch } = useReview(live);
  if (error && !data)
    return (
      <Refusal error={error}>
        <Button onClick={() => refetch()}>Try again</Button>
      </Refusal>
    );
  if (!data) return null;
  const { checks, reviewers, number, isMergeable, state } = data;
  const counts = countChecks(checks);
  const worst = findWorstOutcome(counts);
  const isFoldable = checks.length > 0 || reviewers.length > 0;
  return (
    <details
      className="group rounded-card border border-line bg-panel px-4 py-2 text-ui"
      // Reviewers without checks are one line.
      open={counts.failed > 0 || checks.length === 0}
    >
      <summary className="flex min-h-8 cursor-pointer flex-wrap items-center gap-x-3 pointer-coarse:min-h-11">
        <span className="font-medium">#{number}</span>
        {worst ? (
          <span className={marks[worst][1]}>
            <span aria-hidden="true">{marks[worst][0]}</span> {writeChecks(counts)}
          </span>
        ) : (
          <span className="text-quiet">no checks</span>
        )}
        {isMergeable === false && (state === "open" || state === "draft") && (
          <span className="text-red-ink">conflicts with {data.base}</span>
        )}
        {error ? <span className="text-quiet">the code host does not answer</span> : null}
        {isFoldable && (
          <ChevronRight
            aria-hidden="true"
            className="ms-auto size-4 shrink-0 text-quiet group-open:rotate-90 rtl:rotate-180"
          />
        )}
      </summary>
      {checks.length > 0 && (
        <ul aria-label="Checks" className="m-0 list-none p-0 py-1">
          {checks.map((check) => (
            <CheckLine key={check.name} check={check} />
          ))}
        </ul>
      )}
      {reviewers.length > 0 && (
        <ul aria-label="Reviewers" className="m-0 flex list-none flex-wrap gap-x-4 p-0 py-1">
          {reviewers.map(({ login, state: verdict }) => (
            <li key={login}>
              <Name>{login}</Name> <span className={reviewerWords[verdict][1]}>{reviewerWords[verdict][0]}</span>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function CheckLine({ check }: { check: Schemas["Check"] }) {
  const [sign, color] = marks[getCheckOutcome(check)];
  const word = (check.conclusion ?? check.status).replaceAll("_", " ");
  return (
    <li className="flex min-h-7 items-center gap-2">
      <span aria-hidden="true" className={color}>
        {sign}
      </span>
      <Name className="min-w-0 truncate">{check.name}</Name>
      <span className="text-meta text-quiet">{word}</span>
      {check.url && (
        <a
          href={check.url}
          target="_blank"
          rel="noopener"
          aria-label={`Open the check ${check.name}`}
          className="inline-flex min-h-7 items-center text-accent pointer-coarse:min-h-11"
        >
          <ExternalLink className="size-3.5" aria-hidden="true" />
        </a>
      )}
    </li>
  );
}
