// Buttons: one main action on a page, others quiet; a dangerous one is red.
import { type ButtonHTMLAttributes, type Ref, useCallback, useLayoutEffect, useRef } from "react";

const kinds = {
  main: "bg-accent text-on-accent hover:brightness-110 disabled:bg-line disabled:text-quiet",
  quiet: "border border-line-strong/50 bg-panel text-ink hover:bg-sunk disabled:text-quiet",
  bare: "text-quiet hover:bg-sunk hover:text-ink disabled:opacity-50",
  danger: "border border-red-ink/40 bg-panel text-red-ink hover:bg-red-tint disabled:opacity-50",
};

const shape =
  "inline-flex min-h-8 items-center justify-center gap-1.5 whitespace-nowrap rounded-control px-3 text-ui font-medium disabled:cursor-default pointer-coarse:min-h-11";

export type ButtonKind = keyof typeof kinds;

export function buttonClass(kind: ButtonKind = "quiet"): string {
  return `${shape} ${kinds[kind]}`;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: ButtonKind;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "quiet", className = "", disabled, ref, ...rest }: ButtonProps) {
  const button = useRef<HTMLButtonElement | null>(null);
  const hadFocus = useRef(false);
  const keep = useCallback(
    (node: HTMLButtonElement | null) => {
      button.current = node;
      if (typeof ref === "function") return ref(node);
      if (ref) ref.current = node;
    },
    [ref],
  );
  // A browser takes the focus from a button that is disabled while it works. The button gets it
  // back, unless something else has the focus by then.
  useLayoutEffect(() => {
    if (disabled) hadFocus.current = document.activeElement === button.current;
    else if (hadFocus.current) {
      hadFocus.current = false;
      if (document.activeElement === document.body) button.current?.focus();
    }
  }, [disabled]);
  return (
    <button ref={keep} type="button" className={`${buttonClass(kind)} ${className}`} {...rest} disabled={disabled} />
  );
}
