// The page that leads a member back to a preview whose address has expired, for who cannot be led on.
import { noticePage } from "../../pages/notice-page.tsx";

/** Asks a visitor to sign in. Says nothing about the preview: there may be none. */
export const signInForPreview = (path: string): Response =>
  noticePage(
    { tone: "resting", heading: "Sign in to open the preview", text: "It is open to the members of its workspace." },
    {
      status: 200,
      action: (
        <a class="button" href={`/api/auth/github/connect?returnTo=${encodeURIComponent(path)}`}>
          Sign in
        </a>
      ),
    },
  );

/** Says that no preview is open to the member here: there is none, or it is of another workspace. */
export const noPreviewHere = (): Response =>
  noticePage(
    {
      tone: "ended",
      heading: "No preview is open to you here",
      text: "Its session may have ended, or you are not a member of its workspace.",
    },
    {
      status: 404,
      action: (
        <a class="button" href="/account">
          Your account
        </a>
      ),
    },
  );

/** Says why the preview does not open now, and leads to another try. */
export const previewNotNow = (text: string, path: string): Response =>
  noticePage(
    { tone: "resting", heading: "The preview does not open now", text },
    {
      status: 503,
      action: (
        <a class="button" href={path}>
          Try again
        </a>
      ),
    },
  );
