/** What leaves when the agent sends: at most one text, then the files, each with its caption. */
export type Outgoing<F> = Readonly<{ text: string | null; files: readonly F[] }>;

/**
 * A text beside one file that has no caption is its caption; beside several files it goes before them as a message of
 * its own. White space alone is nothing.
 */
export function outgoing<F extends { caption: string }>(
  text: string,
  files: readonly F[],
): Outgoing<F> {
  const body = text.trim();
  const captioned = files.map((file) => ({ ...file, caption: file.caption.trim() }));
  const [first, ...others] = captioned;
  if (first && others.length === 0 && first.caption === "") {
    return { text: null, files: [{ ...first, caption: body }] };
  }
  return { text: body === "" ? null : body, files: captioned };
}
