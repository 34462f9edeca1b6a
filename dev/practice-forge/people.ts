// The people of the forge: who can sign in to it, see its repositories and be asked to review.

export interface ForgePerson {
  id: number;
  login: string;
  name: string;
  email: string;
}

// The first four have the addresses of the demo world's people: whoever signs in as one of them is that user.
const named: [login: string, name: string, email: string][] = [
  ["olive-owner", "Olive Owner", "owner@example.com"],
  ["adam-admin", "Adam Admin", "admin@example.com"],
  ["mia-member", "Mia Member", "member@example.com"],
  ["otto-outsider", "Otto Outsider", "outsider@example.com"],
  ["grace-hopper", "Grace Hopper", "grace-hopper@practice.example"],
  ["grace-kelly", "Grace Kelly", "grace-kelly@practice.example"],
];

/** Everybody whom the forge knows. */
export const people: readonly ForgePerson[] = named.map(([login, name, email], index) => ({
  id: 1_001 + index,
  login,
  name,
  email,
}));

/** Somebody by login, in any case. */
export function personCalled(login: string): ForgePerson | null {
  return people.find((one) => one.login.toLowerCase() === login.toLowerCase()) ?? null;
}

/** Somebody as REST answers them in lists. */
export function personOnWire({ id, login }: ForgePerson) {
  return { id, login, type: "User" };
}
