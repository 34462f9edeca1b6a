// The colors of a terminal, from the tokens of the page.
import type { ITheme } from "@xterm/xterm";

/** The token of each color. The page has no blue and no magenta, so others replace them. */
const tokens = {
  background: "--panel",
  foreground: "--ink",
  cursor: "--accent",
  cursorAccent: "--panel",
  selectionBackground: "--accent-tint",
  black: "--line-strong",
  red: "--red-ink",
  green: "--green-ink",
  yellow: "--amber-ink",
  blue: "--accent",
  magenta: "--amber-ink",
  cyan: "--accent",
  white: "--ink",
  brightBlack: "--quiet",
  brightRed: "--red-ink",
  brightGreen: "--green-ink",
  brightYellow: "--amber-ink",
  brightBlue: "--accent",
  brightMagenta: "--amber-ink",
  brightCyan: "--accent",
  brightWhite: "--ink",
} as const satisfies ITheme;

/** Reads the colors that the tokens have now. */
export function readTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    Object.entries(tokens).map(([color, token]) => [color, style.getPropertyValue(token).trim()]),
  );
}

/** Calls back when the tokens get the colors of the other scheme. Returns how to stop. */
export function onSchemeChange(change: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", change);
  const chosen = new MutationObserver(change);
  chosen.observe(document.documentElement, { attributeFilter: ["data-scheme"] });
  return () => {
    dark.removeEventListener("change", change);
    chosen.disconnect();
  };
}
