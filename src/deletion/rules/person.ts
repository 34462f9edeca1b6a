// A deleted person: which values name them, and what replaces these values. A stored value names a
// person by an object with their user id, by their login, or by one of their email addresses.

/** The name that everybody sees instead of the person's. */
export const deletedUserName = "Deleted user";

/** What named the person. It is stored only until their deletion is complete. */
export interface DeletedPerson {
  id: string;
  /** Their email addresses, in lower case. */
  addresses: string[];
  /** Their login at the code host, in lower case; null if they connected no account. */
  login: string | null;
}

/** The email address that replaces those of a deleted person. No mail reaches it. */
export function getDeletedAddress(userId: string): string {
  return `${userId.toLowerCase()}@deleted.invalid`;
}

/**
 * Replaces what names the person in a JSON value. Returns the value itself if nothing does. Ids
 * stay, and so do the texts that people and agents wrote.
 */
export function deletePersonFromJson(value: unknown, person: DeletedPerson): unknown {
  if (typeof value === "string")
    return person.addresses.includes(value.toLowerCase()) ? getDeletedAddress(person.id) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => deletePersonFromJson(item, person));
    return items.some((item, place) => item !== value[place]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  const isPerson = isAbout(value, person.id);
  const changed = fields.map(([name, field]) => [name, toForgotten(name, field, { person, isPerson, of: value })]);
  return changed.some(([, field], place) => field !== fields[place]?.[1]) ? Object.fromEntries(changed) : value;
}

function toForgotten(
  name: string,
  field: unknown,
  { person, isPerson, of }: { person: DeletedPerson; isPerson: boolean; of: object },
): unknown {
  if (name === "login" && typeof field === "string" && (isPerson || field.toLowerCase() === person.login))
    return deletedUserName;
  if (isPerson && name === "name" && typeof field === "string") return deletedUserName;
  if (isPerson && name === "email" && typeof field === "string") return getDeletedAddress(person.id);
  if (isPerson && name === "imageUrl") return null;
  // The address of a caller, in an event of the audit log.
  if (name === "address" && "actor" in of && isAbout(of.actor, person.id)) return null;
  if ("actorId" in of && of.actorId === person.id) {
    if (name === "actorName") return deletedUserName;
    if (name === "actorImageUrl") return null;
  }
  return deletePersonFromJson(field, person);
}

/** True for an object that describes the user. */
function isAbout(value: unknown, userId: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  if ("userId" in value) return value.userId === userId;
  return "id" in value && value.id === userId && ("email" in value || "imageUrl" in value);
}

/** The texts of which a stored value that names the person has at least one, in lower case. */
export function listPersonTexts({ id, addresses, login }: DeletedPerson): string[] {
  return [id.toLowerCase(), ...addresses, ...(login === null ? [] : [`"login":${JSON.stringify(login)}`])];
}
