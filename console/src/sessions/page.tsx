// To come.
export function SessionsPage() {
  return <main className="p-6" />;
}
