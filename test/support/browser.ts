// A signed-in browser: its cookie, and the origin of the pages that send its requests.

import type { Person, Reply } from "./client.ts";
import type { WorldAddress } from "./world-address.ts";

export interface Browser {
  /** The cookie without the origin, as in a request from another site. */
  cookie: string;
  /** The headers of a request from a page of the service. */
  headers: { cookie: string; origin: string };
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Creates an API key of the user. */
  makeKey(more?: { expiresAt?: string }): Promise<{ id: string; key: string }>;
}

/** Signs in a user of a world. */
export async function signIn(
  { baseUrl, users }: Pick<WorldAddress, "baseUrl" | "users">,
  person: Person,
): Promise<Browser> {
  const answer = await fetch(`${baseUrl}/dev/sign-in`, {
    method: "POST",
    body: JSON.stringify({ userId: users[person].id }),
  });
  if (answer.status !== 200) throw new Error(`a sign-in answered ${answer.status}`);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  const headers = { cookie, origin: new URL(baseUrl).origin };

  const call: Browser["call"] = async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(baseUrl + path, { method, headers, ...sent });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text === "" ? null : JSON.parse(text) };
  };

  return {
    cookie,
    headers,
    call,
    async makeKey(more = {}) {
      const made = await call("POST", "/api/user/api-keys", { name: "made by a test", ...more });
      if (made.status !== 201) throw new Error(`a key was refused: ${JSON.stringify(made.body)}`);
      return made.body.data;
    },
  };
}
