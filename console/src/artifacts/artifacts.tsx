// To come.
export function Artifacts() {
  return <p className="p-4 text-quiet">To come.</p>;
}
