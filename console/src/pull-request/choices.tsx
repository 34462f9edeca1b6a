// Fields with choices of the code host: a branch, and the people who review. What is not among the
// choices can be typed.
import { type InputHTMLAttributes, useId, useState } from "react";
import { Field, TextInput } from "../ui/field.tsx";
import { useBranches, useReviewers } from "./queries.ts";
import { getLastWord, hasReviewer, withReviewer } from "./skill-message.ts";

interface BranchInputProps extends InputHTMLAttributes<HTMLInputElement> {
  projectId: string;
  value: string;
  onValue: (value: string) => void;
}

export function BranchInput({ projectId, value, onValue, className = "", ...rest }: BranchInputProps) {
  const listId = useId();
  const [isTouched, setIsTouched] = useState(false);
  const branches = useBranches(projectId, isTouched ? value : "", isTouched);
  return (
    <>
      <TextInput
        list={listId}
        value={value}
        onFocus={() => setIsTouched(true)}
        onChange={(event) => onValue(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        className={`font-mono ${className}`}
        {...rest}
      />
      <datalist id={listId}>
        {branches.map(({ name, isDefault }) => (
          <option key={name} value={name} label={isDefault ? `${name} (default)` : name} />
        ))}
      </datalist>
    </>
  );
}

/** How many people are offered. */
const shownChoices = 6;

interface ReviewersInputProps {
  projectId: string;
  /** Logins with commas between them. */
  value: string;
  onValue: (value: string) => void;
}

export function ReviewersInput({ projectId, value, onValue }: ReviewersInputProps) {
  const offered = useReviewers(projectId, getLastWord(value))
    .filter(({ login }) => !hasReviewer(value, login))
    .slice(0, shownChoices);
  return (
    <div>
      <Field label="Reviewers" hint="People of the code host. Type a part of a name, or choose.">
        <TextInput
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onValue(event.target.value)}
        />
      </Field>
      {offered.length > 0 && (
        <ul aria-label="People who can review" className="m-0 mt-2 flex list-none flex-wrap gap-2 p-0">
          {offered.map(({ login, name }) => (
            <li key={login}>
              <button
                type="button"
                onClick={() => onValue(withReviewer(value, login))}
                className="min-h-8 rounded-control border border-line px-2 text-ui hover:bg-sunk pointer-coarse:min-h-11"
              >
                <bdi>{login}</bdi>
                {name && <bdi className="ml-1 text-quiet max-sm:sr-only">{name}</bdi>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
