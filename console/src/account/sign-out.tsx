// Signs this browser out. Drafts belong to the person, so they are deleted too, and the page asks
// first.
import { useState } from "react";
import { service } from "../api.ts";
import { clearMarks } from "../changes/kept-marks.ts";
import { clearDrafts, countDrafts } from "../composer/draft-store.ts";
import { clearFileDrafts, countFileDrafts } from "../files/draft.ts";
import { clearNewDrafts, readDraft } from "../inbox/new-draft.ts";
import { useUserId } from "../shell/profile.ts";
import { announceSignOut } from "../shell/signed-out.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { clearKeptTexts, countKeptTexts } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";

async function signOut(): Promise<void> {
  await service.request("POST /api/auth/sign-out");
  await clearDrafts().catch(() => {});
  clearNewDrafts();
  clearFileDrafts();
  clearMarks();
  clearKeptTexts();
  announceSignOut();
  // Everything that was read is gone with the page.
  location.assign("/");
}

/** Signs out, or asks first where drafts would be lost. `asking` is the question, to be drawn. */
export function useSignOut() {
  const userId = useUserId();
  const [drafts, setDrafts] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const leave = () => {
    setDrafts(null);
    setError(null);
    signOut().catch(setError);
  };
  const ask = async () => {
    const ofNew = userId !== null && readDraft(userId).text.trim() !== "" ? 1 : 0;
    const count = ofNew + countKeptTexts() + countFileDrafts() + (await countDrafts().catch(() => 0));
    if (count === 0) leave();
    else setDrafts(count);
  };
  const asking = (
    <Confirm
      isOpen={drafts !== null}
      title="Sign out and delete your drafts?"
      word="Sign out"
      kind="danger"
      onConfirm={leave}
      onClose={() => setDrafts(null)}
    >
      {drafts === 1 ? "One text is" : `${drafts} texts are`} not sent or saved. Drafts of this browser are deleted when
      you sign out.
    </Confirm>
  );
  return { ask, asking, error };
}

export function SignOut() {
  const { ask, asking, error } = useSignOut();
  return (
    <>
      <Button onClick={ask}>Sign out</Button>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      {asking}
    </>
  );
}
