// A switch that is on or off. It shows what the service has, so it moves after the answer.

interface SwitchProps {
  /** What is on or off. */
  label: string;
  isOn: boolean;
  disabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <label className="grid min-h-8 cursor-pointer place-items-center px-2 has-disabled:cursor-default has-disabled:opacity-50 pointer-coarse:min-h-11">
      <span className="sr-only">{label}</span>
      <span className="relative inline-flex">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          disabled={disabled}
          onChange={({ target }) => onChange(target.checked)}
          className="peer h-5 w-9 cursor-[inherit] appearance-none rounded-full border border-line-strong bg-sunk checked:border-accent checked:bg-accent"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-0.75 left-0.75 size-3.5 rounded-full bg-line-strong transition-transform peer-checked:translate-x-4 peer-checked:bg-on-accent motion-reduce:transition-none"
        />
      </span>
    </label>
  );
}
