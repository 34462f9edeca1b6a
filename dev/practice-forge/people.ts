// The people of the forge: who can sign in to it, see its repositories and be asked to review.

export interface ForgePerson {
  id: number;
  login: string;
  name: string;
  email: string;
}

const named: [login: string, name: string][] = [
  ["olive-owner", "Olive Owner"],
  ["adam-admin", "Adam Admin"],
  ["mia-member", "Mia Member"],
  ["otto-outsider", "Otto Outsider"],
  ["grace-hopper", "Grace Hopper"],
  ["grace-kelly", "Grace Kelly"],
];

/** Everybody whom the forge knows. */
export const people: readonly ForgePerson[] = named.map(([login, name], index) => ({
  id: 1_001 + index,
  login,
  name,
  email: `${login}@practice.example`,
}));

/** Somebody by login, in any case. */
export function personCalled(login: string): ForgePerson | null {
  return people.find((one) => one.login.toLowerCase() === login.toLowerCase()) ?? null;
}

/** Somebody as REST answers them in lists. */
export function personOnWire({ id, login }: ForgePerson) {
  return { id, login, type: "User" };
}
