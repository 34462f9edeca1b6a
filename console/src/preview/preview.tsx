// To come.
export function PreviewTab() {
  return <p className="p-4 text-quiet">To come.</p>;
}
