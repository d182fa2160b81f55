import type { ErrorCode, MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";

/** A file that is not taken, and why: the code that the server would answer. */
export type RefusedFile = Readonly<{
  name: string;
  code: ErrorCode & `ERR_${string}FILE${string}`;
}>;

/** How a file will stand in the conversation, by what the browser says of it. */
export function kindOf(file: File): MediaKind {
  if (file.name.startsWith("audio-record-site")) return "voice";
  const [family] = file.type.split("/");
  if (family === "image" && file.type !== "image/svg+xml") return "image";
  if (family === "video" || family === "audio") return family;
  return "document";
}

const bytesMax: Readonly<Record<MediaKind, number>> = {
  image: limits.imageMaxBytes,
  sticker: limits.imageMaxBytes,
  audio: limits.audioMaxBytes,
  voice: limits.audioMaxBytes,
  video: limits.videoMaxBytes,
  document: limits.documentMaxBytes,
};

/** Which of the files go beside the `taken` ones that are there already, in their order, and which do not. */
export function sortFiles(
  files: readonly File[],
  taken: number,
): { accepted: readonly File[]; refused: readonly RefusedFile[] } {
  const accepted: File[] = [];
  const refused: RefusedFile[] = [];
  for (const file of files) {
    const code = refusalOf(file, taken + accepted.length);
    if (code === null) accepted.push(file);
    else refused.push({ name: file.name, code });
  }
  return { accepted, refused };
}

function refusalOf(file: File, taken: number): RefusedFile["code"] | null {
  // A folder that was dropped looks like a file without content.
  if (file.size === 0) return "ERR_FILE_DAMAGED";
  if (file.size > bytesMax[kindOf(file)]) return "ERR_FILE_TOO_LARGE";
  return taken >= limits.mediasPerRequest ? "ERR_TOO_MANY_FILES" : null;
}
