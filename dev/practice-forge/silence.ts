// A fault to practise with: a repository whose pushes are taken in and never answered, as by a network that swallows what is sent.

export interface Silence {
  isSilent(repository: string): boolean;
  set(repository: string, isSilent: boolean): void;
}

export function openSilence(): Silence {
  const silent = new Set<string>();
  return {
    isSilent: (repository) => silent.has(repository),
    set: (repository, isSilent) => void (isSilent ? silent.add(repository) : silent.delete(repository)),
  };
}
