// Devices and notifications: this browser, the person's devices, and the kinds that they want.
import { useQuery } from "@tanstack/react-query";
import { useUserId } from "../shell/profile.ts";
import { isPushSupported, turnOffPush, turnOnPush } from "../shell/push.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { Devices } from "./devices.tsx";
import { NotificationKinds } from "./notification-kinds.tsx";
import { findPushAdvice } from "./push-words.ts";
import { devicesQuery, metaQuery, refreshDevices } from "./queries.ts";

export function Notifications() {
  useTitle("Devices and notifications");
  return (
    <>
      <Section
        title="Notifications in this browser"
        text="They come while the browser runs, also when no page of the service is open."
      >
        <ThisBrowser />
      </Section>
      <Section title="What you are notified of" text="This counts for all your devices.">
        <NotificationKinds />
      </Section>
      <Section
        title="Devices"
        text="A browser leaves the list when you sign out there. A phone or a watch is added by its app."
      >
        <Devices />
      </Section>
    </>
  );
}

function ThisBrowser() {
  const userId = useUserId();
  const { data: meta, error: unread } = useQuery(metaQuery);
  const { data: devices } = useQuery(devicesQuery);
  const { act, error, isBusy } = useAct();
  const device = devices?.find(({ platform, isCurrent }) => platform === "web" && isCurrent);
  if (unread) return <Refusal error={unread} />;
  if (!meta || !devices || userId === null) return <div aria-busy="true" className="min-h-8" />;
  const { webPushKey } = meta;
  const obstacle = findObstacle(webPushKey);

  return (
    <div className="space-y-4">
      <p role="status">
        {device ? "Notifications are on in this browser." : (obstacle ?? "Notifications are off in this browser.")}
      </p>
      {error !== null && <Refusal error={error} reword={(sentence) => findPushAdvice(error) ?? sentence} />}
      {device ? (
        <Button disabled={isBusy} onClick={() => act(() => turnOffPush(device.id).finally(refreshDevices))}>
          Turn off in this browser
        </Button>
      ) : (
        webPushKey !== null &&
        obstacle === null && (
          <Button
            kind="main"
            disabled={isBusy}
            onClick={() => act(() => turnOnPush(userId, webPushKey).finally(refreshDevices))}
          >
            Turn on in this browser
          </Button>
        )
      )}
    </div>
  );
}

/** Why notifications cannot be turned on here; null if they can. */
function findObstacle(webPushKey: string | null): string | null {
  if (webPushKey === null)
    return "This service sends no notifications to browsers. Its operator can set WEB_PUSH_PRIVATE_KEY.";
  if (!isPushSupported())
    return "This browser cannot get notifications. On an iPhone or iPad, add this page to the home screen and open it there.";
  if (Notification.permission === "denied")
    return "You have blocked notifications of this site. Allow them in the site settings of your browser, then load this page again.";
  return null;
}
