/** The phone's share sheet posts to this address (`platform/http/app-files.ts` names it in the manifest); also begins the names of kept entries. */
export const SHARE_PATH = "/share";
/** Shared texts and files, until a page takes them (`features/offline/shared.ts`). */
export const SHARED_CACHE = "balcao.shared";
/** The page that takes it has this in its address. */
export const SHARED_MARK = "shared";

/** The entry `SHARE_PATH`, which is written last; each file has an entry with its number behind the path. */
export type SharedList = { text: string; files: { name: string; type: string }[] };

export type ShareDeps = { caches: Pick<CacheStorage, "open" | "delete">; origin: string };

/**
 * Keeps what was shared into the product and opens the inbox, where the user chooses the ticket; nothing is sent by itself.
 * Null: the request shares nothing.
 */
export function takeShare(
  deps: ShareDeps,
  request: Pick<Request, "method" | "url" | "formData">,
): Promise<Response> | null {
  const { origin, pathname } = new URL(request.url);
  const isShare = origin === deps.origin && request.method === "POST" && pathname === SHARE_PATH;
  return isShare ? keepAndOpen(deps, request) : null;
}

async function keepAndOpen(
  { caches, origin }: ShareDeps,
  request: Pick<Request, "formData">,
): Promise<Response> {
  await caches.delete(SHARED_CACHE);
  try {
    const form = await request.formData();
    const cache = await caches.open(SHARED_CACHE);
    const files = form.getAll("files").filter((part) => part instanceof File);
    for (const [index, file] of files.entries()) {
      await cache.put(`${SHARE_PATH}/${index}`, new Response(file));
    }
    // Many apps repeat one of them in another.
    const texts = ["title", "text", "url"].map((name) => form.get(name) ?? "");
    const said = texts.flatMap((text) =>
      typeof text === "string" && text.trim() !== "" ? [text] : [],
    );
    const list: SharedList = {
      text: [...new Set(said)].join("\n"),
      files: files.map(({ name, type }) => ({ name, type })),
    };
    await cache.put(SHARE_PATH, Response.json(list));
  } catch {
    // No room, or no form: the page finds no list and says so.
  }
  return Response.redirect(`${origin}/tickets?${SHARED_MARK}`, 303);
}
