// Files of messages: sizes in words, and what the service would refuse.

/** A file may have 10 MB, and a message 10 files. */
const longestBytes = 10_485_760;
const mostFiles = 10;

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [size, unit] = bytes < 1_048_576 ? [bytes / 1_024, "KB"] : [bytes / 1_048_576, "MB"];
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
}

/** Why the service would refuse these files; null where it takes them. */
export function findFileProblem(files: readonly { name: string; size: number }[]): string | null {
  if (files.length > mostFiles)
    return `A message takes ${mostFiles} files. Remove ${files.length - mostFiles} to send.`;
  const large = files.find(({ size }) => size > longestBytes);
  return large ? `${large.name} is larger than 10 MB. Remove it to send.` : null;
}
