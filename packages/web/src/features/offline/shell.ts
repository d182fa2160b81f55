import { PAGE_KEY, SHELL_PREFIX } from "../../worker/pages.ts";

/** The version that runs, and the one before it, which another tab may still show. */
const VERSIONS_KEPT = 2;

/** The files of this version, as the page itself lists them; it names the version. Null in development. */
function ownList(): string | null {
  return document.querySelector("#code-ahead")?.textContent ?? null;
}

/**
 * Keeps the files of this version that the page has or will open (`ahead`), then the page itself: a version without its page is not whole, and is not opened. Answers
 * whether the server has another version by now.
 */
export async function keepShell(ahead: readonly string[]): Promise<"kept" | "newer"> {
  const list = ownList();
  if (list === null) return "kept";
  const name = SHELL_PREFIX + (await hashOf(list));
  const cache = await caches.open(name);
  const reply = await fetch("/", { cache: "no-cache", headers: { accept: "text/html" } });
  if (!reply.ok) return "kept";
  const html = await reply.clone().text();
  if (!html.includes(list)) return "newer";
  const loaded = performance
    .getEntriesByType("resource")
    .map(({ name: url }) => new URL(url).pathname);
  const files = [...loaded, ...ahead].filter((file) => file.startsWith("/assets/"));
  for (const file of new Set(files)) {
    if (await cache.match(file, { ignoreVary: true })) continue;
    await cache.add(file);
  }
  await cache.put(PAGE_KEY, reply);
  const names = (await caches.keys()).filter((one) => one.startsWith(SHELL_PREFIX));
  const others = names.filter((one) => one !== name);
  for (const old of others.slice(0, Math.max(0, others.length - VERSIONS_KEPT + 1))) {
    await caches.delete(old);
  }
  return "kept";
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash).subarray(0, 8), (byte) => byte.toString(16)).join("");
}
