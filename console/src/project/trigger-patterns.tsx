// A text of a trigger with one value a line.
import { Field, fieldClass } from "../ui/field.tsx";

export const area = `${fieldClass} field-sizing-content max-h-60 resize-none py-2`;

interface PatternsProps {
  label: string;
  hint: string;
  text: string;
  onChange: (text: string) => void;
}

export function Patterns({ label, hint, text, onChange }: PatternsProps) {
  return (
    <Field label={label} hint={hint}>
      <textarea
        value={text}
        rows={2}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
        className={`${area} font-mono text-code!`}
      />
    </Field>
  );
}
