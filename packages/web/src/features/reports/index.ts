export * from "./figure-filter.ts";
export * from "./figure-words.ts";
export { useChoiceFilters } from "./figure-choices.tsx";
