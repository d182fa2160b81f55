export { NotificationsButton } from "./notifications-button.tsx";
export { Notifier } from "./notifier.tsx";
export { VolumeButton } from "./volume-button.tsx";
