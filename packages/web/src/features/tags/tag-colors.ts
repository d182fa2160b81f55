/** What a tag has that was given none (behaviour 8.4). */
export const DEFAULT_TAG_COLOR = "#A4CCCC";

/** Offered to choose from; far enough apart to be told in a list. */
export const tagColors = [
  DEFAULT_TAG_COLOR,
  "#c0392b",
  "#d35400",
  "#b7791f",
  "#5f8d1f",
  "#1f8d5a",
  "#16808d",
  "#2f6fb5",
  "#6a4fc0",
  "#b03a86",
] as const;
