// To come.
export function Info() {
  return <p className="p-4 text-quiet">To come.</p>;
}
