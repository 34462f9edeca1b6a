// A check box with its label.
import type { ReactNode } from "react";

interface CheckBoxProps {
  isChecked: boolean;
  isDisabled?: boolean;
  onChange: (isChecked: boolean) => void;
  children: ReactNode;
}

export const CheckBox = ({ isChecked, isDisabled = false, onChange, children }: CheckBoxProps) => (
  <label className="flex min-h-8 min-w-0 items-center gap-2 pointer-coarse:min-h-11">
    <input
      type="checkbox"
      className="size-4 shrink-0 accent-accent"
      checked={isChecked}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    {children}
  </label>
);
