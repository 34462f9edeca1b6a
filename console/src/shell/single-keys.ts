// Whether keys without Ctrl, Alt or ⌘ do something, as a person chose it in this browser.

const name = "single-keys";

/** False where a person has switched them off, such as one who speaks to the computer. */
export function hasSingleKeys(): boolean {
  try {
    return localStorage.getItem(name) !== "off";
  } catch {
    return true;
  }
}

export function setSingleKeys(isOn: boolean): void {
  try {
    localStorage.setItem(name, isOn ? "on" : "off");
  } catch {
    // A browser that stores nothing keeps them on.
  }
}
