import { useAlerts } from "./alerts.ts";
import { useFollowUnread } from "./use-unread-tickets.ts";
import { useTitleCount } from "../../ui/page-title.ts";

/** Keeps the unread tickets current, counts them in the browser's tab and alerts. Renders nothing; once, in the shell. */
export function Notifier(): null {
  const { count } = useFollowUnread();
  useTitleCount(count);
  useAlerts();
  return null;
}
