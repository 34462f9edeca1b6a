// The page between the Auth Token in a frame's address and the preview: it goes on by itself, so that a browser takes what comes next for
// the preview's own doing, and not for that of whoever frames it.
import { respondPage } from "./document.tsx";

/** Leads a frame on to a path of this host, which takes the place of this page in the history. */
export function previewThreshold(path: string): Response {
  return respondPage({
    title: "Opening the preview",
    style: "",
    // Where scripts are kept from running, a press leads on.
    script: `document.querySelector("a").hidden = true; location.replace(document.querySelector("a").href);`,
    children: (
      <main class="alone">
        <a href={path}>Open the preview</a>
      </main>
    ),
  });
}
