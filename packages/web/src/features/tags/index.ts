export { tagList } from "./api.ts";
export { TagStrip } from "./tag-strip.tsx";
