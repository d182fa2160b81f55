import { lazyPart } from "../../ui/lazy-part.tsx";

export { NotificationsButton, VolumeButton } from "./buttons.tsx";
export { useReadMentions } from "./mentions.ts";
export { FollowUnread } from "./unread-tickets.ts";
export const Notifier = lazyPart(
  async () => (await import("./notifier.tsx")).Notifier,
  "over",
  "first",
);
