export { openProfile, ProfileHost } from "./profile-host.tsx";
