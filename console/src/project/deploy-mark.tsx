// The state of a project's Deploy: a glyph and a word.
import { describeDeploy, toneMarks } from "./deploy-words.ts";

export function DeployMark({ status }: { status: string }) {
  const { word, tone } = describeDeploy(status);
  const { glyph, color } = toneMarks[tone];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${color}`}>
      <span aria-hidden="true" className={`w-3 shrink-0 text-center text-meta ${tone === "moves" ? "lamp" : ""}`}>
        {glyph}
      </span>
      {word}
    </span>
  );
}
