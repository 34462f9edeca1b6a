// The path of a file on one line. Without enough room, its folders are cut, because files beside
// each other differ in what follows them.
import { Name } from "./visible-text.tsx";

export function PathName({ children: path }: { children: string }) {
  const slash = path.lastIndexOf("/");
  return (
    <span className="flex min-w-0">
      {slash > 0 && (
        <>
          <span className="min-w-[1ch] shrink-[1000] truncate">
            {/* What is first on a line is never cut. Without this, that is a letter of a folder. */}
            <span className="inline-block" />
            <Name>{path.slice(0, slash)}</Name>
          </span>
          <span>/</span>
        </>
      )}
      <Name className="min-w-0 truncate">{path.slice(slash + 1)}</Name>
    </span>
  );
}
