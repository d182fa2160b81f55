/** A catalogue, or a part of one. */
export type Branch = { readonly [key: string]: string | Branch };

/** Both parts of a catalogue in one. A feature's texts may stand in both. */
export function withLater(first: Branch, later: Branch): Branch {
  const whole: Record<string, string | Branch> = { ...first };
  for (const [feature, texts] of Object.entries(later)) {
    const known = whole[feature];
    whole[feature] =
      typeof known === "object" && typeof texts === "object" ? { ...known, ...texts } : texts;
  }
  return whole;
}
