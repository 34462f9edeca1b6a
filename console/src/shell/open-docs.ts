// The docs, which the service serves beside the console.

/** Opens the docs in a tab of their own, so that the console stays as it is. */
export const openDocs = () => void window.open("/docs/", "_blank", "noopener");
