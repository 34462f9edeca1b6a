// The users of the code host. All of them can sign in, see all repositories and be asked to review.

export interface CodeHostPerson {
  id: number;
  login: string;
  name: string;
  email: string;
}

// The first four have the email addresses of the demo world's users, so signing in as one of them
// is signing in as that user.
const named: [login: string, name: string, email: string][] = [
  ["olive-owner", "Olive Owner", "owner@example.com"],
  ["adam-admin", "Adam Admin", "admin@example.com"],
  ["mia-member", "Mia Member", "member@example.com"],
  ["otto-outsider", "Otto Outsider", "outsider@example.com"],
  ["grace-hopper", "Grace Hopper", "grace-hopper@practice.example"],
  ["grace-kelly", "Grace Kelly", "grace-kelly@practice.example"],
];

/** All users. */
export const people: readonly CodeHostPerson[] = named.map(([login, name, email], index) => ({
  id: 1_001 + index,
  login,
  name,
  email,
}));

/** The login of who calls with a token of no account and names nobody. */
export const usualLogin = "olive-owner";

/** Finds a user by login, ignoring case. */
export function findPerson(login: string): CodeHostPerson | null {
  return people.find((one) => one.login.toLowerCase() === login.toLowerCase()) ?? null;
}

/** A user in the form of REST lists. */
export function toWirePerson({ id, login }: CodeHostPerson) {
  return { id, login, type: "User" };
}

/** The users with these logins. */
export function toWirePeople(logins: readonly string[]) {
  return logins.map(findPerson).flatMap((one) => (one ? [toWirePerson(one)] : []));
}
