import { limits } from "@balcao/contract";

/** Control characters, and those that let a name be read in another direction than it is written. */
// oxlint-disable-next-line no-control-regex -- exactly these must go
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const NAMELESS = "arquivo";

/**
 * The name under which a file is shown and offered: without path, without what is not seen, not longer than allowed.
 * `extension` is given to a name that has none.
 */
export function safeFileName(name: string, extension: string): string {
  const last = name.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const shown = withoutEnd(last.replace(UNSEEN, "")).trim();
  const named = shown.replace(/^\.+/, "") === "" ? NAMELESS : shown;
  const ending = extensionOf(named) === "" ? extension : "";
  return withExtension(named, ending);
}

/**
 * Windows drops dots and blanks at the end, and with them would read another extension. By hand, because a pattern that
 * is bound to the end begins anew at each dot of a name full of them.
 */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** The same name with another extension; an empty one keeps it. */
export function withExtension(name: string, extension: string): string {
  const current = extensionOf(name);
  const stem = current === "" || extension === "" ? name : name.slice(0, -current.length - 1);
  const ending = extension === "" ? "" : `.${extension}`;
  return shorten(stem, ending);
}

/** What stands after the last dot, in small letters; empty when that is no extension. */
export function extensionOf(name: string): string {
  return /[^.]\.([\p{L}\p{N}_-]{1,10})$/u.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** Long names lose their middle, not the extension. */
function shorten(stem: string, ending: string): string {
  const whole = `${stem}${ending}`;
  if (whole.length <= limits.fileNameMax) return whole;
  const kept = ending === "" ? extensionOf(whole) : ending.slice(1);
  const tail = kept === "" ? "" : `.${kept}`;
  const cut = whole.slice(0, limits.fileNameMax - tail.length);
  // A surrogate pair is not cut in two.
  return `${cut.replace(/[\ud800-\udbff]$/, "")}${tail}`;
}
