// To come.
export function ActivityPage() {
  return <main className="p-6" />;
}
