// A simulated fault: pushes to a silent repository are received but never get a response, as on a
// network that drops packets.

export interface Silence {
  isSilent(repository: string): boolean;
  set(repository: string, isSilent: boolean): void;
}

export function createSilence(): Silence {
  const silent = new Set<string>();
  return {
    isSilent: (repository) => silent.has(repository),
    set: (repository, isSilent) => void (isSilent ? silent.add(repository) : silent.delete(repository)),
  };
}
