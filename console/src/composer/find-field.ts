// Where the keyboard goes in a session when nothing nearer is left.

/** The message field; with a finger the newest turn, because the field would open a keyboard. */
export function findField(): HTMLElement | null | undefined {
  if (matchMedia("(pointer: coarse)").matches) return [...document.querySelectorAll<HTMLElement>("[data-turn]")].at(-1);
  return document.querySelector<HTMLElement>("[data-message-field]");
}
