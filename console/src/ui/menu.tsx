// A menu of actions and choices, which opens from a button.
import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

/** A menu. `trigger` is the button that opens it. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-40 outline-none">
          <Base.Popup className="max-h-(--available-height) min-w-48 overflow-y-auto rounded-block border border-line bg-panel p-1 text-ui text-ink shadow-lg outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  onClick: () => void;
  disabled?: boolean;
  children: ReactNode;
}

export const MenuItem = ({ onClick, disabled = false, children }: MenuItemProps) => (
  <Base.Item className={item} onClick={onClick} disabled={disabled}>
    {children}
  </Base.Item>
);

export const MenuSeparator = () => <Base.Separator className="mx-2 my-1 h-px bg-line" />;

interface MenuChoicesProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [value: Value, content: ReactNode])[];
  onChoose: (value: Value) => void;
}

/** One of several choices, with the present one marked. */
export function MenuChoices<Value extends string>({ label, value, choices, onChoose }: MenuChoicesProps<Value>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 pt-1 pb-0.5 font-bold text-meta text-quiet">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as Value)}>
        {choices.map(([one, content]) => (
          <Base.RadioItem key={one} value={one} closeOnClick className={item}>
            <span className="flex flex-1 items-center gap-2">{content}</span>
            <Base.RadioItemIndicator>
              <Check className="size-4 text-accent" aria-hidden="true" />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

const item =
  "flex min-h-8 cursor-default select-none items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-sunk data-disabled:text-quiet pointer-coarse:min-h-11";
