const NAMELESS = "arquivo";

/** The Content-Disposition header with a name of any script (RFC 6266, RFC 5987). */
export function dispositionOf(kind: "inline" | "attachment", name: string | null): string {
  if (name === null) return kind;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_").trim() || NAMELESS;
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`;
}

/** Percent-encodes all but RFC 5987's attr-char; half a surrogate pair becomes a replacement character. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
