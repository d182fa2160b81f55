import type { QuickMessage } from "@balcao/contract";

const LOADING_LIMIT_MS = 60_000;

/** The attachment of a quick message as a file to send; null when it has none. Throws when it cannot be fetched. */
export async function quickMessageFile(option: QuickMessage): Promise<File | null> {
  if (option.mediaPath === null) return null;
  const response = await fetch(option.mediaPath, { signal: AbortSignal.timeout(LOADING_LIMIT_MS) });
  if (!response.ok) throw new Error(`the attachment answered ${response.status}`);
  const content = await response.blob();
  const type = option.mediaMime ?? content.type;
  return new File([content], option.mediaName ?? option.shortcode, { type });
}
