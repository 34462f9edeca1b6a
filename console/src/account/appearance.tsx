// The choice of the console's appearance, which this browser keeps.
import { useState } from "react";
import { Field, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";

const name = "scheme";

const schemes: [value: string, word: string][] = [
  ["", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function Appearance() {
  const [scheme, setScheme] = useState(() => document.documentElement.dataset.scheme ?? "");
  const [error, setError] = useState<unknown>(null);

  function choose(chosen: string): void {
    try {
      if (chosen === "") localStorage.removeItem(name);
      else localStorage.setItem(name, chosen);
      // `public/scheme.js` shows it.
      dispatchEvent(new Event(name));
      setScheme(chosen);
      setError(null);
    } catch (refusal) {
      setError(refusal);
    }
  }

  return (
    <div className="mb-4 space-y-2">
      <Field label="Appearance">
        <Select value={scheme} onChange={({ target }) => choose(target.value)}>
          {schemes.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
      </Field>
      {error !== null && <Refusal error={error} />}
    </div>
  );
}
