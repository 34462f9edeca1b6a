// What a form shows: what is typed, or what is saved now where nothing is. What is typed is kept by
// the browser as a text.
import { isSame } from "./settings-form.ts";

/** A form as it is typed, and what it began with. */
export interface Typed<Saved, Form> {
  base: Saved;
  form: Form;
}

interface Rules<Saved, Form, Value> {
  /** The form of what is saved now. */
  fresh: Typed<Saved, Form>;
  toForm: (saved: Saved) => Form;
  toValue: (form: Form, base: Saved) => Value;
}

/** What the browser has kept; null for nothing, and for what is no such form. */
export function parseTyped<Saved, Form>(
  kept: string,
  { toForm, toValue }: Pick<Rules<Saved, Form, unknown>, "toForm" | "toValue">,
): Typed<Saved, Form> | null {
  if (kept === "") return null;
  try {
    const { base, form } = JSON.parse(kept) as Typed<Saved, Form>;
    // A form of an earlier version of the page may lack what this one reads.
    toForm(base);
    toValue(form, base);
    return { base, form };
  } catch {
    return null;
  }
}

/**
 * What is typed over an earlier state stays while it differs from that state and from what is saved
 * now. Typed over what is saved now it always stays: it may have rows that are empty yet.
 */
export function placeTyped<Saved, Form, Value>(
  typed: Typed<Saved, Form> | null,
  { fresh, toForm, toValue }: Rules<Saved, Form, Value>,
): { shown: Typed<Saved, Form>; isChanged: boolean } {
  if (typed === null) return { shown: fresh, isChanged: false };
  const { base, form } = typed;
  const value = toValue(form, base);
  const isChanged = !isSame(value, toValue(toForm(base), base));
  if (isSame(base, fresh.base)) return { shown: typed, isChanged };
  const isSavedNow = isSame(value, toValue(fresh.form, fresh.base));
  return isChanged && !isSavedNow ? { shown: typed, isChanged } : { shown: fresh, isChanged: false };
}
