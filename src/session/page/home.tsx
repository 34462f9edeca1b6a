// The page at the service's own URL: what runs, who is signed in, and what to do next.
import type { z } from "zod";
import { getReach } from "../../access/rules/reachable-workspaces.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { isLoopback, isOneMachine } from "../../one-machine.ts";
import { renderPage } from "../../pages/document.tsx";
import style from "../../pages/sheet.css";
import { isRefusal } from "../../rules/refusal.ts";
import { listSessions } from "../queries/lists.ts";
import { type sessionSchema, toWireSummary } from "../wire.ts";
import { sessionStatusWords } from "./session.tsx";

type Session = Pick<z.infer<typeof sessionSchema>, "id" | "title" | "status" | "sessionPath">;

export interface HomeView {
  publicUrl: string;
  /** The local code host of a one-machine installation; null for any other. */
  localCodeHost: string | null;
  /** Notes about the models of a provider, such as that they are not real models. */
  modelNotes: string[];
  /** The signed-in user with their newest sessions; null for a visitor. */
  user: { name: string; sessions: Session[] } | null;
}

/** Renders the page. */
function homePage({ publicUrl, localCodeHost, modelNotes, user }: HomeView): Response {
  return renderPage({
    title: "Switchyard",
    style,
    policy: { "frame-ancestors": "'none'" },
    children: (
      <main class="sheet">
        <h1>Switchyard</h1>
        <p>It hosts an AI coding agent for teams. It runs at {publicUrl}.</p>
        {modelNotes.length > 0 && <p>Its models: {modelNotes.join(", ")}.</p>}
        {user ? <SignedIn {...user} /> : <SignedOut />}
        <h2>Next steps</h2>
        <p>The API does everything. With a key of yours, this lists your projects:</p>
        <pre>{`curl -H "Authorization: Bearer $KEY" ${publicUrl}/api/projects`}</pre>
        <h2>Links</h2>
        <ul>
          <Link href="/account" label="Your account" about="API keys, and the code host" />
          <Link href="/api/openapi.json" label="The API, described by itself" about="OpenAPI" />
          {localCodeHost && (
            <Link
              href={localCodeHost}
              label="The practice code host"
              about="npm start prints the link that lets you in"
            />
          )}
        </ul>
      </main>
    ),
  });
}

function SignedOut() {
  return (
    <>
      <p>You are not signed in.</p>
      <a class="button" href="/api/auth/github/connect?returnTo=/">
        Sign in
      </a>
    </>
  );
}

function SignedIn({ name, sessions }: NonNullable<HomeView["user"]>) {
  return (
    <>
      <p>You are signed in as {name}.</p>
      <h2>Newest sessions</h2>
      {sessions.length === 0 ? (
        <p>There is no session yet.</p>
      ) : (
        <ul>
          {sessions.map(({ sessionPath, title, status }) => (
            <Link href={sessionPath} label={title} about={sessionStatusWords[status]} />
          ))}
        </ul>
      )}
    </>
  );
}

function Link({ href, label, about }: Record<"href" | "label" | "about", string>) {
  return (
    <li>
      <a href={href}>{label}</a>
      <span>{about}</span>
    </li>
  );
}

const sessionsShown = 10;

/** Responds to a browser at `/`. */
export async function renderHomePage(request: Request, env: Env): Promise<Response> {
  const notes: Record<string, string> = JSON.parse(env.MODEL_LABEL_NOTES || "{}");
  return homePage({
    publicUrl: env.PUBLIC_URL,
    localCodeHost: isOneMachine(env) && isLoopback(env.CODE_HOST_GIT_URL) ? env.CODE_HOST_GIT_URL : null,
    modelNotes: Object.entries(notes).map(([provider, note]) => `${provider} (${note})`),
    user: await findUser(request, env),
  });
}

async function findUser(request: Request, env: Env): Promise<HomeView["user"]> {
  const known = await authenticate(env, request, { action: "session.search", noun: "none", params: {} }, Date.now());
  if (isRefusal(known) || !known.caller.user) return null;
  const reach = getReach(known.caller);
  if (!reach) return null;
  const filter = { workspaceIds: [], projectIds: [], statuses: [], assignee: null, search: "", needsYou: false };
  const { summaries } = await listSessions(env.DB, {
    reach,
    projectId: null,
    filter,
    page: 1,
    pageSize: sessionsShown,
  });
  return { name: known.caller.user.name, sessions: summaries.map((summary) => toWireSummary(summary, env.PUBLIC_URL)) };
}
