// Fields of forms: one look for inputs, selects and their labels.

import { ChevronDown } from "lucide-react";
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from "react";
import { toVisibleName } from "./visible.ts";

/** 16 px on touch screens: a smaller font makes the page zoom. */
export const fieldClass =
  "min-h-9 w-full min-w-0 rounded-control border border-line-strong bg-panel px-3 text-ui text-ink placeholder:text-quiet disabled:bg-sunk disabled:text-quiet pointer-coarse:min-h-11 pointer-coarse:text-title";

export function Field({ label, hint, children }: { label: string; hint?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className="block text-ui">
      <span className="mb-1 block font-medium">{label}</span>
      {children}
      {hint && <span className="mt-1 block text-meta text-quiet">{hint}</span>}
    </label>
  );
}

export function TextInput({ className = "", ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input className={`${fieldClass} ${className}`} {...rest} />;
}

/** An option for each thing of a list. */
export function NamedOptions({ items }: { items: readonly { id: string; name: string }[] }) {
  return items.map(({ id, name }) => (
    <option key={id} value={id}>
      {toVisibleName(name)}
    </option>
  ));
}

/** A menu of the browser's own, which works with a keyboard and on a phone. */
export function Select({ className = "", children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={`relative inline-flex min-w-0 ${className}`}>
      <select
        className="min-h-8 w-full min-w-0 cursor-pointer appearance-none truncate rounded-control border border-line-strong/50 bg-panel py-1 pr-7 pl-3 text-ui text-ink hover:bg-sunk disabled:cursor-default disabled:bg-sunk disabled:text-quiet pointer-coarse:min-h-11 pointer-coarse:text-title"
        {...rest}
      >
        {children}
      </select>
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-quiet"
        aria-hidden="true"
      />
    </span>
  );
}
