// An id that a person gives to their operator: a click copies it.
import { copyWords, useCopy } from "./copy-button.tsx";

interface CopyIdProps {
  /** What it is the id of, such as `Request`. */
  word: string;
  id: string;
}

export function CopyId({ word, id }: CopyIdProps) {
  const { outcome, copy } = useCopy(id);
  return (
    <button
      type="button"
      title="Copy this id for your operator"
      onClick={copy}
      className="text-left text-meta underline decoration-dotted underline-offset-2 [overflow-wrap:anywhere] pointer-coarse:min-h-11"
    >
      {word} {id}
      <span role="status">{outcome && ` · ${copyWords[outcome]}`}</span>
    </button>
  );
}
