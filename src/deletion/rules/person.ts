// A deleted person: which values name them, and what replaces these values. A stored value names a
// person by an object with their user id, by their login, by one of their email addresses, or by
// their name in a sentence of the service.
import { deletedUserName, deleteNamesFromText } from "./person-sentences.ts";

/** What named the person. It is stored only until their deletion is complete. */
export interface DeletedPerson {
  id: string;
  /** Their names here and at the code host. */
  names: string[];
  /** Their email addresses, as stored and in lower case. */
  addresses: string[];
  /** Their login at the code host, in lower case; null if they connected no account. */
  login: string | null;
}

/** The email address that replaces those of a deleted person. No mail reaches it. */
export function getDeletedAddress(userId: string): string {
  return `${userId.toLowerCase()}@deleted.invalid`;
}

/** Replaces a text that is one of their addresses, and their name in a sentence of the service. */
export function deletePersonFromText(text: string, person: DeletedPerson): string {
  if (person.addresses.includes(text.toLowerCase())) return getDeletedAddress(person.id);
  return deleteNamesFromText(text, person.names);
}

/**
 * Replaces what names the person in a JSON value. Returns the value itself if nothing does. Ids
 * stay, and so do the texts that people and agents wrote.
 */
export function deletePersonFromJson(value: unknown, person: DeletedPerson): unknown {
  if (typeof value === "string") return deletePersonFromText(value, person);
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
  const isLogin = typeof field === "string" && field.toLowerCase() === person.login;
  if (loginFields.includes(name) && (isLogin || (isPerson && typeof field === "string"))) return deletedUserName;
  if (isPerson && name === "name" && typeof field === "string") return deletedUserName;
  if (isPerson && name === "email" && typeof field === "string") return getDeletedAddress(person.id);
  if (isPerson && name === "imageUrl") return null;
  // The address of a caller, in an event of the audit log.
  if (name === "address" && "actor" in of && isAbout(of.actor, person.id)) return null;
  if ("actorId" in of && of.actorId === person.id) {
    if (name === "actorName") return deletedUserName;
    if (name === "actorImageUrl") return null;
  }
  if (name === "createdByName" && "createdBy" in of && of.createdBy === person.id) return deletedUserName;
  return deletePersonFromJson(field, person);
}

/** True for an object that describes the user. */
function isAbout(value: unknown, userId: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  if ("userId" in value) return value.userId === userId;
  return "id" in value && value.id === userId && ("email" in value || "imageUrl" in value);
}

/** The fields with a login: `account` and `person` are those of audit events. */
const loginFields = ["login", "account", "person"];

/**
 * The texts of which a stored value that names the person has at least one: in lower case, and in
 * JSON, where characters may be escaped.
 */
export function listPersonTexts({ id, names, addresses, login }: DeletedPerson): string[] {
  const logins = login === null ? [] : loginFields.map((field) => `"${field}":${JSON.stringify(login)}`);
  const escaped = names.map((name) => JSON.stringify(name).slice(1, -1));
  // The database changes only the case of ASCII letters.
  const texts = [id, ...addresses, ...logins, ...names, ...escaped].map((text) =>
    text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  return [...new Set(texts)];
}
