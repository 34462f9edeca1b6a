// The comments of a project's repository at the code host, as the service writes them.

export interface HostComments {
  written: { id: number; body: string; user: { login: string } }[];
  /** True if the answer to the next new comment is lost. */
  isAnswerLost: boolean;
  /** The answer to a request; null to one about anything else. */
  answer(url: URL, init: RequestInit | undefined): Response | null;
}

/** Creates the comments, with one of a stranger that looks like one of the service. */
export function createHostComments(projectId: string): HostComments {
  const host: HostComments = {
    written: [{ id: 1, body: "<!-- switchyard", user: { login: "sam-stranger" } }],
    isAnswerLost: false,
    answer(url, init) {
      if (url.pathname === "/user") return Response.json({ id: 1, login: "switchyard" });
      if (!url.pathname.includes("/issues/")) return null;
      // The session of an earlier test may still write its comment.
      if (!url.pathname.includes(projectId)) return new Response("{}", { status: 404 });
      const { body = "" } = JSON.parse(String(init?.body ?? "{}"));
      const [, id] = /comments\/(\d+)$/.exec(url.pathname) ?? [];
      const known = host.written.find((one) => one.id === Number(id));
      if (init?.method === "GET") return Response.json(host.written);
      if (known) return Response.json(Object.assign(known, { body }));
      if (init?.method !== "POST") return new Response("{}", { status: 404 });
      const added = { id: (host.written.at(-1)?.id ?? 0) + 1, body, user: { login: "switchyard" } };
      host.written.push(added);
      if (!host.isAnswerLost) return Response.json(added);
      host.isAnswerLost = false;
      return new Response("{}", { status: 502 });
    },
  };
  return host;
}
