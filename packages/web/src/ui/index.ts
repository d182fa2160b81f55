export { AppAvatar, hueOf } from "./app-avatar.tsx";
export { errorText } from "./error-text.ts";
export type { IconTargetProps } from "./icon-button.tsx";
export { IconButton } from "./icon-button.tsx";
export { MenuButton } from "./shell-menu.tsx";
export { NoticeStrip } from "./notice-strip.tsx";
export { ConnectionPill, QueueDot } from "./marks.tsx";
export { EmptyState, ErrorWords, ListSkeleton, LoadFailed } from "./states.tsx";
export { notifyError, notifyInfo, notifySuccess } from "./toasts.tsx";
