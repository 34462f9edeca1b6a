// The sentences that the service writes with a person's name, and stores without their user id.

/** The name that everybody sees instead of the person's. */
export const deletedUserName = "Deleted user";

/**
 * What is before and after the name; a sentence without `before` starts with the name. The rules of
 * Deploys and of subscriptions write these sentences, and a test compares them.
 */
const sentences: { before: string; after: RegExp }[] = [
  { before: "", after: /^ started a Deploy\.$/ },
  { before: "", after: /^ has left the workspace, so the / },
  { before: "", after: /^'s [^.]{1,40} subscription (was|has) / },
  { before: "again. ", after: /^ can do that in their account settings\.$/ },
  { before: "or have ", after: /^ connect another login\.$/ },
];

/** Replaces the person's names in such a sentence. Every other text stays as it is. */
export function deleteNamesFromText(text: string, names: readonly string[]): string {
  let left = text;
  for (const name of names) {
    if (!left.includes(name)) continue;
    for (const { before, after } of sentences) {
      const at = before === "" ? (left.startsWith(name) ? 0 : -1) : left.indexOf(before + name);
      const rest = left.slice(at + before.length + name.length);
      if (at >= 0 && after.test(rest)) left = left.slice(0, at) + before + deletedUserName + rest;
    }
  }
  return left;
}
