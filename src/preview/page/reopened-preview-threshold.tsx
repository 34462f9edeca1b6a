// The page between a framed address with an Auth Token and the preview. It navigates by itself, so that browsers count the next request as
// the preview's own and not as the framing page's.
import { respondPage } from "../../pages/document.tsx";

/** Navigates a frame to a path of this host, and replaces this page in the history. */
export function previewThreshold(path: string): Response {
  return respondPage({
    title: "Opening the preview",
    style: "",
    // Without scripts, the visitor follows the link.
    script: `document.querySelector("a").hidden = true; location.replace(document.querySelector("a").href);`,
    children: (
      <main class="alone">
        <a href={path}>Open the preview</a>
      </main>
    ),
  });
}
