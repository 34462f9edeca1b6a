// The files that go with a message: names, sizes, and how to take one out.
import { Paperclip, X } from "lucide-react";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { formatBytes } from "./files.ts";

interface FileChipsProps {
  files: readonly { name: string; size: number }[];
  onRemove?: (at: number) => void;
}

export function FileChips({ files, onRemove }: FileChipsProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-2">
      {files.map(({ name, size }, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name.
          key={`${at} ${name}`}
          className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-control bg-sunk pl-2 text-meta"
        >
          <Paperclip className="size-3.5 shrink-0 text-quiet" aria-hidden="true" />
          <Name className="min-w-0 truncate" title={name}>
            {name}
          </Name>
          <span className="shrink-0 pr-2 text-quiet tabular-nums">{formatBytes(size)}</span>
          {onRemove && (
            <button
              type="button"
              aria-label={`Remove ${toVisibleName(name)}`}
              className="grid size-8 shrink-0 place-items-center rounded-control text-quiet hover:text-ink pointer-coarse:size-11"
              onClick={() => onRemove(at)}
            >
              <X className="size-3.5" aria-hidden="true" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
