import { useState } from "react";

/** `unsupported`: this browser, or an insecure address, has no desktop notifications. */
export type DesktopPermission = NotificationPermission | "unsupported";

/** Whether the browser shows our notifications, and a function that asks for it (only after a press). */
export function useDesktopPermission(): [DesktopPermission, () => Promise<void>] {
  const [permission, setPermission] = useState<DesktopPermission>(() =>
    "Notification" in window ? Notification.permission : "unsupported",
  );
  return [permission, async () => setPermission(await Notification.requestPermission())];
}
