// To come.
export function AccountPage() {
  return <main className="p-6" />;
}
