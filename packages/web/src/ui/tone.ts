/** Meanings that have a colour; the word or the icon beside it always says the same. */
export type Tone = "ok" | "warn" | "bad" | "info";
