// Fields with choices of the code host: a branch, and the people who review. What is not among the
// choices can be typed.

import type { Session } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type InputHTMLAttributes, useId, useState } from "react";
import { artifactsQuery } from "../artifacts/queries.ts";
import { Field, TextInput } from "../ui/field.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Name } from "../ui/visible-text.tsx";
import { useBranches, useReviewers } from "./queries.ts";
import { getLastWord, hasEvidence, hasReviewer, withEvidence, withReviewer } from "./skill-message.ts";

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
  const focus = useFocusKept("li", (box) => box.querySelector("input"));
  return (
    <div {...focus}>
      <Field label="Reviewers" hint="People of the code host. Type a part of a name, or choose.">
        <TextInput
          // The person has just opened the form.
          autoFocus
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onValue(event.target.value)}
        />
      </Field>
      <Offered
        label="People who can review"
        items={offered.map(({ login, name }) => ({ id: login, word: login, more: name }))}
        onChoose={(login) => onValue(withReviewer(value, login))}
      />
    </div>
  );
}

interface EvidenceInputProps {
  session: Session;
  /** Links with spaces between them. */
  value: string;
  onValue: (value: string) => void;
}

/** Offers the artifacts of the session, whose links lead people of the workspace to them. */
export function EvidenceInput({ session, value, onValue }: EvidenceInputProps) {
  const { data: artifacts = [] } = useQuery(artifactsQuery(session));
  const toLink = (id: string) => `${location.origin}/s/${session.id}?panel=artifacts&file=${id}`;
  const offered = artifacts.filter(({ id }) => !hasEvidence(value, toLink(id))).slice(0, shownChoices);
  return (
    <div>
      <Field label="Evidence" hint="Links that show that the change works. Type them, or choose artifacts.">
        <TextInput value={value} onChange={(event) => onValue(event.target.value)} />
      </Field>
      <Offered
        label="Artifacts of this session"
        items={offered.map(({ id, title }) => ({ id, word: title, more: null }))}
        onChoose={(id) => onValue(withEvidence(value, toLink(id)))}
      />
    </div>
  );
}

interface OfferedProps {
  label: string;
  items: readonly { id: string; word: string; more: string | null }[];
  onChoose: (id: string) => void;
}

function Offered({ label, items, onChoose }: OfferedProps) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={label} className="m-0 mt-2 flex list-none flex-wrap gap-2 p-0">
      {items.map(({ id, word, more }) => (
        <li key={id} className="min-w-0 max-w-full">
          <button
            type="button"
            onClick={() => onChoose(id)}
            className="min-h-8 max-w-full truncate rounded-control border border-line px-2 text-ui hover:bg-sunk pointer-coarse:min-h-11"
          >
            <Name>{word}</Name>
            {more && <Name className="ml-1 text-quiet max-sm:sr-only">{more}</Name>}
          </button>
        </li>
      ))}
    </ul>
  );
}
