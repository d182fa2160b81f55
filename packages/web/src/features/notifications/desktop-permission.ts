import { useState } from "react";

/** `unsupported`: this browser, or an insecure address, has no desktop notifications. */
export type DesktopPermission = NotificationPermission | "unsupported";

/** The permission for desktop notifications, and a function that requests it (only after a press). */
export function useDesktopPermission(): [DesktopPermission, () => Promise<void>] {
  const [permission, setPermission] = useState<DesktopPermission>(() =>
    "Notification" in window ? Notification.permission : "unsupported",
  );
  return [permission, async () => setPermission(await Notification.requestPermission())];
}
