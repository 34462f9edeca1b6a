// A check box with its words. A finger has more room to hit it than a mouse.
interface CheckProps {
  checked: boolean;
  onChange: (isOn: boolean) => void;
  children: string;
}

export function Check({ checked, onChange, children }: CheckProps) {
  return (
    <label className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      {children}
    </label>
  );
}
