// To come.
export function Files() {
  return <p className="p-4 text-quiet">To come.</p>;
}
