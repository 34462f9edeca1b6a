// Texts of others, shown to a person. Control characters, and characters that turn the direction of
// a text, could make it look like another one (CVE-2021-42574).

const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Where Unicode has the pictures of control characters. */
const picture = 0x2400;
const deletePicture = 0x2421;

/**
 * The text with a visible sign for each control character, and for each character that turns its
 * direction. Line breaks and tabs stay. The length stays, too.
 */
export function toVisible(text: string): string {
  return text.replace(hidden, (one) => {
    const code = one.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(picture + code);
    return code === 0x7f ? String.fromCharCode(deletePicture) : "\ufffd";
  });
}
