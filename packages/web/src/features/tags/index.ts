export { TagStrip } from "./tag-strip.tsx";
