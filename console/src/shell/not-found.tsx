// A path that the console does not have, or that can name nothing.
import { Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";

export const NotFound = () => <NothingFound what="page" />;

export function NothingFound({ what }: { what: "page" | "session" }) {
  return (
    <main className="grid h-full place-items-center p-6 text-center">
      <div>
        <h1 className="text-heading font-bold">There is no such {what}</h1>
        <p className="mt-1 text-quiet">The address may be cut off, or it names something that was deleted.</p>
        <Link to="/" className={`${buttonClass("main")} mt-5`}>
          To your inbox
        </Link>
      </div>
    </main>
  );
}
