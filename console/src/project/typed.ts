// What a form shows: what is typed, or what is saved now where nothing is.
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
