// The account at the practice code host that a member has connected.
import { findPerson } from "../../practice/code-host/people.ts";
import type { createInside } from "./world-inside.ts";

const connectedLogin = "mia-member";

/** Connects the account to the member, as they do it on their account's page. */
export const connectMember = (sql: ReturnType<typeof createInside>["sql"]) =>
  sql(
    `INSERT OR REPLACE INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
     SELECT id, ?1, ?2, name, email, '', 0 FROM users WHERE email = 'member@example.com'`,
    String(findPerson(connectedLogin)?.id),
    connectedLogin,
  );

/** Takes the account away from the member. */
export const disconnectMember = (sql: ReturnType<typeof createInside>["sql"]) =>
  sql("DELETE FROM code_host_identities WHERE login = ?1", connectedLogin);
