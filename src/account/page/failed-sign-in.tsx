// The page of a sign-in that failed: a browser was redirected there, so it gets no JSON.
import { renderMessagePage } from "../../pages/message-page.tsx";

function renderFailedSignIn(reason: string, status: number): Response {
  return renderMessagePage(
    { tone: "ended", heading: "This did not sign you in", text: reason },
    {
      status,
      action: (
        <a class="button" href="/api/auth/github/connect">
          Start again
        </a>
      ),
    },
  );
}

/**
 * Turns a refusal into a page if a browser will show it. Other responses, also those that are pages
 * already, are returned unchanged.
 */
export async function toBrowserResponse(request: Request, answer: Response): Promise<Response> {
  if (answer.status < 400 || !request.headers.get("accept")?.includes("text/html")) return answer;
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return answer;
  const { error } = await answer.json<{ error: string }>();
  return renderFailedSignIn(error, answer.status);
}
