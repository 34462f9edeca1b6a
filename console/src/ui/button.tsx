// Buttons: one main action on a page, others quiet; a dangerous one is red.
import type { ButtonHTMLAttributes } from "react";

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
}

export function Button({ kind = "quiet", className = "", ...rest }: ButtonProps) {
  return <button type="button" className={`${buttonClass(kind)} ${className}`} {...rest} />;
}
