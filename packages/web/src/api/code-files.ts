/** Addresses of code that is in the browser's cache: importing it needs no network. */
const arrived = new Set<string>();

/**
 * Stands in for the bundler's own helper around every `import()` (`vite.config.ts`): the files are fetched first, and imported
 * only once they are there. A browser never imports an address again that failed once, so that an `import()` that fails
 * would stay broken until the page is loaded anew; a `fetch` can be repeated.
 * @public The built page imports it.
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

/** The network answers, but this file is no more: another version of the product is served now. */
export class MissingCode extends Error {
  constructor(address: string) {
    super(`There is no ${address}`);
  }
}

/** Whether the page itself has asked for it (`index.html`): then it is there, or on its way. */
function isWithPage(address: string): boolean {
  return document.head.querySelector(`[src="${address}"], [href="${address}"]`) !== null;
}
