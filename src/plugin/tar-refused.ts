// What a repository that cannot be read is refused for. It is no fault of the service, and another try finds the same.

export class ArchiveRefused extends Error {}
