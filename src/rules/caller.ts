// A caller: whoever a request comes from, as far as a credential tells.
import type { CallerFacts } from "./permission.ts";
import type { Author } from "./session.ts";

export interface User {
  id: string;
  name: string;
  email: string;
  imageUrl: string | null;
}

export interface Caller {
  keyId: string;
  facts: CallerFacts;
  /** The user the caller acts as; null for a relay. */
  user: User | null;
  /** Who a message of this caller is from. */
  author: Author;
}
