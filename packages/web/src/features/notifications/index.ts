export { NotificationsButton, VolumeButton } from "./buttons.tsx";
export { Notifier } from "./notifier.tsx";
