export { TagStrip } from "./tag-strip.tsx";
export { useAllTags } from "./ticket-tags.ts";
