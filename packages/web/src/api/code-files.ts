/** Addresses of code that is in the browser's cache: importing it needs no network. */
const arrived = new Set<string>();

/**
 * Replaces the bundler's helper around every `import()` (`vite.config.ts`): files are fetched first and imported once
 * they arrived. Browsers never retry a failed import of the same address, but a failed `fetch` can be repeated. @public
 * The built page imports it.
 */
export async function importFetched<T>(load: () => Promise<T>, files: string[] = []): Promise<T> {
  await Promise.all(files.map(async (file) => fetchCode(`/${file}`)));
  return load();
}

/** Brings a file of this version into the browser's cache, unless it is there. */
export async function fetchCode(address: string): Promise<void> {
  if (arrived.has(address) || isWithPage(address)) return;
  const reply = await fetch(address, { priority: "low" });
  if (!reply.ok) throw new MissingCode(address);
  await reply.arrayBuffer();
  arrived.add(address);
}

/** The server replied, but the file is gone: it serves another version of the product now. */
export class MissingCode extends Error {
  constructor(address: string) {
    super(`There is no ${address}`);
  }
}

/** True if the page itself requests the file (`index.html`). */
function isWithPage(address: string): boolean {
  return document.head.querySelector(`[src="${address}"], [href="${address}"]`) !== null;
}
