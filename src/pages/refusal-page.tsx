// The page of a refusal, for a browser that opens an address of the API.
import { renderMessagePage } from "./message-page.tsx";

const headings: Partial<Record<number, string>> = {
  401: "You are not signed in",
  403: "You may not see this",
  404: "There is nothing here",
};

/** Turns such a refusal into a page; null for any other response. */
export async function toRefusalPage(response: Response): Promise<Response | null> {
  const heading = headings[response.status];
  if (heading === undefined || !response.headers.get("content-type")?.startsWith("application/json")) return null;
  const { error } = await response.json<{ error: string }>();
  const { status } = response;
  const challenge = response.headers.get("www-authenticate");
  return renderMessagePage(
    { tone: "ended", heading, text: error },
    {
      status,
      headers: challenge === null ? {} : { "www-authenticate": challenge },
      action: (
        <a class="button" href="/">
          To your inbox
        </a>
      ),
    },
  );
}
