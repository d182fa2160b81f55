import type { StoredFile } from "../../media/index.ts";

/** The caption of a file: its own, or the one for all; a file's name is none (wire-contract 5.8). */
export function captionFor(
  captions: readonly string[],
  index: number,
  names: readonly (string | undefined)[],
): string {
  const caption = (captions.length === 1 ? captions[0] : captions[index]) ?? "";
  return names.includes(caption) ? "" : caption;
}

/** Every key of the files, thumbnails included. */
export function keysOfFiles(files: readonly StoredFile[]): string[] {
  return files.flatMap(({ key, thumbnailKey }) =>
    thumbnailKey === null ? [key] : [key, thumbnailKey],
  );
}
