// The logo of a workspace, or the first letter of its name.
import type { Schemas } from "@switchyard/client";

type Named = Pick<Schemas["Workspace"], "name" | "logo">;

export function Logo({ workspace: { name, logo }, size = "size-10" }: { workspace: Named; size?: string }) {
  const shape = `${size} shrink-0 rounded-control`;
  if (logo !== null) return <img src={logo} alt="" className={`${shape} bg-sunk object-cover`} />;
  const [first = ""] = name.trim();
  return (
    <span
      aria-hidden="true"
      className={`${shape} grid place-items-center bg-accent-tint font-bold text-accent uppercase`}
    >
      {first}
    </span>
  );
}
