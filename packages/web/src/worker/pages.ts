import { SHARED_MARK } from "./shares.ts";

/** Begins the names of the caches that hold the product's files, one for each version (`features/offline/shell.ts`). */
export const SHELL_PREFIX = "balcao.shell.";
/** The key of the page in such a cache. It is put last: a cache that has it is whole. */
export const PAGE_KEY = "/";

/** Longer than a slow line takes for the page's first bytes, and shorter than one waits at a dead one. */
const PATIENCE_MS = 6_000;
const OF_PROGRAMS = /^\/(api|public|webhooks|socket\.io|metrics)(\/|$)/;

export type PageDeps = {
  caches: Pick<CacheStorage, "match" | "keys" | "open">;
  fetch: typeof fetch;
  origin: string;
  patienceMs?: number;
};

/**
 * Answers what the page is made of: a file of a version is the same for ever, so a kept one is taken; the page itself comes
 * from the server, so that it is never older than its files, and without a network from the newest version that was kept
 * whole. Null: the browser does as without us. Calls of the API never come through here.
 */
export function answerPage(
  deps: PageDeps,
  request: Pick<Request, "method" | "mode" | "url">,
  preloaded: Promise<Response | undefined> = Promise.resolve(undefined),
): Promise<Response> | null {
  const url = new URL(request.url);
  if (url.origin !== deps.origin || request.method !== "GET" || OF_PROGRAMS.test(url.pathname)) {
    return null;
  }
  if (request.mode === "navigate") return openPage(deps, url, preloaded);
  return url.pathname.startsWith("/assets/") ? openFile(deps, url) : null;
}

async function openFile({ caches, fetch }: PageDeps, url: URL): Promise<Response> {
  const kept = await caches.match(url.pathname, { ignoreVary: true });
  return kept ?? fetch(url);
}

async function openPage(
  deps: PageDeps,
  url: URL,
  preloaded: Promise<Response | undefined>,
): Promise<Response> {
  const asking = preloaded.then(
    (answer) => answer ?? deps.fetch(url, { credentials: "same-origin" }),
  );
  const page = keptPage(deps);
  const isLate = new Promise<null>((resolve) => {
    setTimeout(() => resolve(null), deps.patienceMs ?? PATIENCE_MS);
  });
  try {
    const answer = await Promise.race([asking, isLate]);
    // A proxy without the server behind it answers as well.
    if (answer && answer.status < 502) {
      return url.searchParams.has(SHARED_MARK) ? await withReader(answer) : answer;
    }
  } catch {
    // No network: below.
  }
  return (await page) ?? asking;
}

/** The page of the newest whole version, which says of itself that it was kept. */
async function keptPage({ caches }: PageDeps): Promise<Response | null> {
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELL_PREFIX));
  for (const name of names.toReversed()) {
    const page = await (await caches.open(name)).match(PAGE_KEY, { ignoreVary: true });
    if (page) return withReader(page, "<html data-kept");
  }
  return null;
}

/** Has the page load what it needs of a phone (`features/offline`) before anything is asked for. */
async function withReader(page: Response, root = "<html"): Promise<Response> {
  const html = await page.text();
  const [reader] = /assets\/offline-[\w-]+\.js/.exec(html) ?? [];
  const script = reader === undefined ? "" : `<script type="module" src="/${reader}"></script>`;
  const marked = html.replace(/<html(?=[\s>])/, root).replace("</head>", `${script}</head>`);
  const headers = new Headers(page.headers);
  // The text is another one, and not compressed.
  for (const name of ["etag", "content-encoding", "content-length"]) headers.delete(name);
  return new Response(marked, { status: page.status, headers });
}
