// What a person pastes to complete a sign-in through a browser (Part 2, "Account").

/**
 * The code in what a person pastes: only the code, `code#state`, or a whole URL. Null if it belongs
 * to another sign-in.
 */
export function parsePastedCode(pasted: string, state: string): string | null {
  const text = pasted.trim();
  if (URL.canParse(text) && /^https?:/i.test(text)) {
    const { searchParams } = new URL(text);
    return searchParams.get("state") === state ? searchParams.get("code") || null : null;
  }
  const [code = "", ...rest] = text.split("#");
  return rest.length > 0 && rest.join("#") !== state ? null : code || null;
}
