// A section of a project's pages while it is edited. What is typed stays until it is saved or
// undone. What somebody else saved meanwhile is shown, and is not overwritten unasked.
import { useMemo, useRef, useState } from "react";
import { useKeptText } from "../ui/kept-text.ts";
import { isSame } from "./settings-form.ts";
import { parseTyped, placeTyped, type Typed } from "./typed.ts";

/** What a save did: it is saved, or somebody else has changed the section since. */
export type Written<Saved> = { saved: Saved } | { theirs: Saved };

interface SectionParts<Saved, Form, Value> {
  /** The name under which the browser keeps what is typed. */
  keptAs: string;
  /** True where it may have values that the browser must not store. */
  isSecret?: boolean;
  /** What is saved, as it was read last. */
  saved: Saved;
  toForm: (saved: Saved) => Form;
  /** What a form sends; `base` is what it began with. */
  toValue: (form: Form, base: Saved) => Value;
  /** Saves, unless what is saved is no longer what is `known`. */
  write: (mine: Value, known: Saved) => Promise<Written<Saved>>;
}

export interface EditedSection<Saved, Form = unknown> {
  form: Form;
  /** What the form began with. */
  base: Saved;
  isChanged: boolean;
  error: unknown;
  state: "saved" | "saving" | null;
  /** The section as somebody else saved it meanwhile; null where nobody did. */
  theirs: { value: Saved } | null;
  change: (form: Form) => void;
  save: () => Promise<void>;
  /** Saves over what somebody else saved. */
  keepMine: () => Promise<void>;
  /** Shows what is saved now. */
  discard: () => void;
}

interface Answer<Saved> {
  /** What had been read before it. */
  over: Saved;
  value: Saved;
  isNewest: boolean;
  /** True until the person changes something. */
  isShown: boolean;
}

export function useSection<Saved, Form, Value>(parts: SectionParts<Saved, Form, Value>): EditedSection<Saved, Form> {
  const { keptAs, isSecret, saved, toForm, toValue, write } = parts;
  const [kept, keep] = useKeptText(keptAs, isSecret);
  const typed = useMemo(() => parseTyped(kept, { toForm, toValue }), [kept, toForm, toValue]);
  const newest = useRef(typed);
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [theirs, setTheirs] = useState<EditedSection<Saved>["theirs"]>(null);
  // What a save has answered counts until the next read arrives.
  const [answer, setAnswer] = useState<Answer<Saved> | null>(null);
  if (answer?.isNewest && answer.over !== saved) setAnswer({ ...answer, isNewest: false });
  const now = answer?.isNewest && answer.over === saved ? answer.value : saved;
  const fresh = useMemo(() => ({ base: now, form: toForm(now) }), [now, toForm]);
  const { shown, isChanged } = placeTyped(typed, { fresh, toForm, toValue });
  const isShownSaved = answer?.isShown === true && !isChanged && isSame(answer.value, now);

  function put(next: Typed<Saved, Form> | null): void {
    newest.current = next;
    keep(next === null ? "" : JSON.stringify(next));
  }

  async function saveOver(known: Saved): Promise<void> {
    const sent = newest.current;
    setError(null);
    setIsSaving(true);
    try {
      const written = await write(toValue(shown.form, shown.base), known);
      if ("theirs" in written) setTheirs({ value: written.theirs });
      else {
        const value = written.saved;
        // What was typed during the save is not saved yet.
        put(newest.current === sent || newest.current === null ? null : { ...newest.current, base: value });
        setTheirs(null);
        setAnswer({ over: saved, value, isNewest: true, isShown: true });
      }
    } catch (refusal) {
      setError(refusal);
    }
    setIsSaving(false);
  }

  return {
    ...shown,
    isChanged,
    error,
    state: isSaving ? "saving" : isShownSaved ? "saved" : null,
    theirs,
    change(form) {
      const isBack = !isSaving && JSON.stringify(form) === JSON.stringify(toForm(shown.base));
      put(isBack ? null : { base: shown.base, form });
      setAnswer(answer && { ...answer, isShown: false });
    },
    save: () => saveOver(shown.base),
    keepMine: () => saveOver(theirs ? theirs.value : shown.base),
    discard() {
      put(null);
      setTheirs(null);
      setError(null);
      setAnswer(answer && { ...answer, isShown: false });
    },
  };
}
