import type { SameShape } from "../same-shape.ts";
import type { notifications as pt } from "../pt/notifications.ts";

export const notifications: SameShape<typeof pt> = {
  title: "Unread messages",
  open: "Unread messages",
  openCount_one: "{{count}} conversation with unread messages",
  openCount_other: "{{count}} conversations with unread messages",
  unread_one: "{{count}} unread message",
  unread_other: "{{count}} unread messages",
  emptyTitle: "All caught up",
  emptyText: "No message is waiting for you.",
  noQueue: "No queue",
  waiting: "waiting",
  allowDesktop: "Notify on the desktop too",
  desktopRefused: "The browser blocks notifications. Allow them in this site's permissions.",
  volume: "Alert volume",
  volumeLabel: "Volume",
};
