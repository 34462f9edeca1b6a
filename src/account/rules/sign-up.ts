// Who may sign up. The operator's setting lists logins and organisations of the code host. Anyone
// with an open invitation to their verified address may also sign up, which
// `connect-code-host.ts` asks the database. Existing users can always sign in.
import { type Refusal, refuse } from "../../rules/refusal.ts";

export interface SignUp {
  /** True if everybody may sign up. */
  isOpen: boolean;
  /** In lower case, as the code host compares them. */
  logins: ReadonlySet<string>;
  organizations: ReadonlySet<string>;
  /** The entries that are neither a login nor `org:NAME`. They match nobody. */
  malformed: readonly string[];
}

const namePattern = /^[a-z0-9-]+$/;
const organizationPrefix = "org:";

/**
 * Reads the setting: `*` for everybody, otherwise logins and `org:NAME`, separated by commas. A
 * service without the setting is open.
 */
export function readSignUp(setting = "*"): SignUp {
  const logins = new Set<string>();
  const organizations = new Set<string>();
  const malformed: string[] = [];
  for (const entry of setting.toLowerCase().split(",")) {
    const word = entry.trim();
    if (word === "" || word === "*") continue;
    const isOrganization = word.startsWith(organizationPrefix);
    const name = isOrganization ? word.slice(organizationPrefix.length) : word;
    if (!namePattern.test(name)) malformed.push(word);
    else (isOrganization ? organizations : logins).add(name);
  }
  return { isOpen: setting.split(",").some((entry) => entry.trim() === "*"), logins, organizations, malformed };
}

/** True for a person who may sign up regardless of their organisations and invitations. */
export function maySignUp({ isOpen, logins }: SignUp, login: string): boolean {
  return isOpen || logins.has(login.toLowerCase());
}

/** True for a member of a listed organisation. */
export function maySignUpBy({ organizations }: SignUp, memberships: readonly string[]): boolean {
  return memberships.some((organization) => organizations.has(organization.toLowerCase()));
}

/** The refusal of a person who may not sign up. */
export function refuseSignUp(login: string): Refusal {
  return refuse(
    "FORBIDDEN",
    `${login} may not sign up here. Ask the operator of this service, or ask a member to invite the email address of your code host account.`,
  );
}
