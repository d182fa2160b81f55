export type { Team } from "./api.ts";
export { byReadiness, stateOf, teamQuery, useLiveTeam } from "./api.ts";
export { MemberAvatar } from "./availability-dot.tsx";
