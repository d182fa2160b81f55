import type { PushPayload } from "@balcao/contract";
import { expect, test, vi } from "vitest";
import type { NoticeDeps } from "./notices.ts";
import { actOnNotice, showPush } from "./notices.ts";
import { answerPage, PAGE_KEY, SHELL_PREFIX } from "./pages.ts";
import type { ClickEvent, WindowClient } from "./scope.ts";
import { SHARED_MARK, takeShare } from "./shares.ts";

const origin = "https://balcao.example";
const html =
  '<html lang="pt-BR"><head></head><script id="code-ahead">["assets/offline-Ab1.js"]</script></html>';

/** Caches by name, each with its answers by path. */
function givenCaches(kept: Record<string, Record<string, string>>) {
  const find = (name: string, path: string) => {
    const text = kept[name]?.[path];
    return text === undefined ? undefined : new Response(text, { headers: { etag: '"a"' } });
  };
  return {
    keys: async () => Object.keys(kept),
    open: async (name: string) => ({ match: async (path: string) => find(name, path) }),
    match: async (path: string) =>
      Object.keys(kept)
        .map((name) => find(name, path))
        .find(Boolean),
  } as unknown as CacheStorage;
}

const asking = (path: string, mode: RequestMode = "cors", method = "GET") => ({
  ...{ method, mode, url: path.startsWith("http") ? path : origin + path },
});
const noNetwork = () => Promise.reject(new TypeError("Failed to fetch"));

test("a page comes from the server, and without it from the newest whole version", async () => {
  const caches = givenCaches({
    other: { [PAGE_KEY]: "not ours" },
    [`${SHELL_PREFIX}1`]: { [PAGE_KEY]: "<html><head></head>old</html>" },
    [`${SHELL_PREFIX}2`]: { [PAGE_KEY]: html },
    // Its files are still on their way.
    [`${SHELL_PREFIX}3`]: { "/assets/start-x.js": "x" },
  });
  const open = async (fetch: () => Promise<Response>, patienceMs = 50) => {
    const page = asking("/tickets/abc", "navigate");
    const answer = await answerPage({ caches, fetch, origin, patienceMs }, page);
    return answer?.text();
  };
  expect(await open(async () => new Response("from the server"))).toBe("from the server");
  expect(await open(async () => new Response("not found", { status: 404 }))).toBe("not found");
  const kept =
    '<html data-kept lang="pt-BR"><head><script type="module" src="/assets/offline-Ab1.js"></script></head>';
  expect(await open(noNetwork)).toContain(kept);
  expect(await open(async () => new Response("", { status: 502 }))).toContain(kept);
  expect(await open(() => new Promise(() => undefined), 5)).toContain(kept);
  const empty = { caches: givenCaches({}), fetch: noNetwork, origin, patienceMs: 5 };
  await expect(answerPage(empty, asking("/", "navigate"))).rejects.toThrow("Failed to fetch");
});

test("kept files are taken, and calls are left alone", async () => {
  const caches = givenCaches({ [`${SHELL_PREFIX}1`]: { "/assets/a.js": "kept" } });
  const fetch = vi.fn(async () => new Response("fetched"));
  const answer = (request: ReturnType<typeof asking>) =>
    answerPage({ caches, fetch, origin }, request);
  expect(await (await answer(asking("/assets/a.js")))?.text()).toBe("kept");
  expect(fetch).not.toHaveBeenCalled();
  expect(await (await answer(asking("/assets/b.js")))?.text()).toBe("fetched");
  const alone = [
    ...[asking("/api/tickets"), asking("/api/docs", "navigate"), asking("/icon.svg")],
    ...[asking("/public/company1/a.png"), asking("/socket.io/?EIO=4")],
    ...[asking("https://elsewhere.example/assets/a.js"), asking("/assets/a.js", "cors", "POST")],
  ];
  expect(alone.map(answer)).toEqual(alone.map(() => null));
});

test("a page that something was shared to comes from the server, with what takes it", async () => {
  const fetch = async () => new Response(html, { headers: { etag: '"a"', "x-of": "server" } });
  const open = (path: string) =>
    answerPage({ caches: givenCaches({}), fetch, origin }, asking(path, "navigate"));
  expect(await (await open("/tickets?tab=open"))?.text()).toBe(html);
  const shared = await open(`/tickets?${SHARED_MARK}`);
  expect([shared?.headers.get("x-of"), shared?.headers.get("etag")]).toEqual(["server", null]);
  const text = (await shared?.text()) ?? "";
  expect(text).toContain('<script type="module" src="/assets/offline-Ab1.js"></script></head>');
  expect(text).not.toContain("data-kept");
});

/** A cache that keeps what is put there, in its order. */
function givenShelf(isFull = false) {
  const kept = new Map<string, Response>();
  const put = async (path: string, answer: Response): Promise<void> => {
    if (isFull) throw new DOMException("full", "QuotaExceededError");
    kept.set(path, answer);
  };
  const caches = {
    open: async () => ({ put }),
    delete: async () => {
      kept.clear();
      return true;
    },
  } as unknown as CacheStorage;
  return { kept, caches };
}

const sharing = (path: string, method = "POST") => {
  const form = new FormData();
  form.append("title", "Pedido");
  form.append("text", "Pedido");
  form.append("url", "https://loja.example/7");
  form.append("files", new File(["um"], "um.txt", { type: "text/plain" }));
  form.append("files", new File(["dois"], "dois.pdf", { type: "application/pdf" }));
  return { ...asking(path, "navigate", method), formData: async () => form };
};

test("what is shared waits for the page, in the place of what waited before, and is sent nowhere", async () => {
  const { kept, caches } = givenShelf();
  kept.set("/share/7", new Response("of before"));
  const answer = await takeShare({ caches, origin }, sharing("/share"));
  expect([answer?.status, answer?.headers.get("location")]).toEqual([
    ...[303, `${origin}/tickets?${SHARED_MARK}`],
  ]);
  // The list is last: with it everything is there.
  expect([...kept.keys()]).toEqual(["/share/0", "/share/1", "/share"]);
  expect(await kept.get("/share/1")?.text()).toBe("dois");
  expect(await kept.get("/share")?.json()).toEqual({
    text: "Pedido\nhttps://loja.example/7",
    files: [
      { name: "um.txt", type: "text/plain" },
      { name: "dois.pdf", type: "application/pdf" },
    ],
  });
  const full = givenShelf(true);
  const refused = await takeShare({ caches: full.caches, origin }, sharing("/share"));
  expect([refused?.status, full.kept.size]).toEqual([303, 0]);
  const others = [
    sharing("/share", "GET"),
    sharing("/api/messages/7"),
    sharing("https://elsewhere.example/share"),
  ];
  expect(others.map((request) => takeShare({ caches, origin }, request))).toEqual([
    ...[null, null, null],
  ]);
});

const message: PushPayload = {
  ...{ title: "Ana", body: "Bom dia", tag: "ticket-7", userId: 3, url: "/tickets/uuid-7" },
  ...{ at: "2026-11-27T10:00:00.000Z", lang: "pt", ticketId: 7, badge: 2, open: ["ticket-7"] },
  ...{ action: { kind: "reply", words: "Responder" }, failed: "Não foi." },
};

function givenPhone(pages: Partial<WindowClient>[] = []) {
  const shown: { title: string; tag: string; body?: string; close: () => void }[] = [];
  const clients = pages.map((page) => ({ focus: vi.fn(), postMessage: vi.fn(), ...page }));
  const [openWindow, setAppBadge] = [vi.fn(async () => null), vi.fn(async () => undefined)];
  const fetch = vi.fn(async (path: string, _init?: RequestInit) =>
    path.endsWith("refresh_token")
      ? Response.json({ token: "t", user: { id: 3 } })
      : new Response(null, { status: 200 }),
  );
  const deps = {
    scope: {
      registration: {
        getNotifications: async () => [...shown],
        async showNotification(title: string, options: { tag: string; body: string }) {
          const same = shown.findIndex(({ tag }) => tag === options.tag);
          if (same !== -1) shown.splice(same, 1);
          const close = () =>
            void shown.splice(
              shown.findIndex((one) => one.tag === options.tag),
              1,
            );
          shown.push({ ...options, title, close });
        },
      },
      clients: { matchAll: async () => clients, openWindow },
      navigator: { setAppBadge },
    },
    fetch,
    uuid: () => "client-id",
  } as unknown as NoticeDeps;
  const press = (action: string, reply: string | null = null) => {
    const [notification] = shown;
    return actOnNotice(deps, { notification, action, reply } as unknown as ClickEvent);
  };
  return { deps, shown, clients, fetch, openWindow, setAppBadge, press };
}

test("one notification per conversation, none while the page is looked at, and old ones go", async () => {
  const { deps, shown, setAppBadge } = givenPhone([{ focused: false, visibilityState: "hidden" }]);
  await showPush(deps, { ...message, tag: "chat-1", open: ["chat-1"] });
  await showPush(deps, message);
  await showPush(deps, { ...message, body: "Alô?" });
  expect(shown.map(({ tag, body }) => [tag, body])).toEqual([["ticket-7", "Alô?"]]);
  expect(setAppBadge).toHaveBeenLastCalledWith(2);
  const watched = givenPhone([{ focused: true, visibilityState: "visible" }]);
  await showPush(watched.deps, message);
  expect(watched.shown).toEqual([]);
});

test("an answer from the notification is sent once, and only by its reader", async () => {
  const { deps, shown, fetch, press } = givenPhone();
  await showPush(deps, message);
  fetch.mockRejectedValueOnce(new TypeError("no answer"));
  await press("reply", " Já vou ");
  const sent = fetch.mock.calls.filter(([path]) => path === "/api/messages/7");
  expect(sent.map(([, init]) => JSON.parse(init?.body as string))).toEqual([
    { body: "Já vou", clientId: "client-id", quotedMsg: null },
  ]);
  expect(shown).toEqual([]);
  await showPush(deps, { ...message, userId: 4 });
  await press("reply", "De quem?");
  expect(fetch.mock.calls.filter(([path]) => path === "/api/messages/7")).toHaveLength(1);
  expect(shown.map(({ body }) => body)).toEqual(["Não foi. “De quem?”"]);
});

test("a press opens the ticket: in the page that is open, else in a new one", async () => {
  const closed = givenPhone();
  await showPush(closed.deps, message);
  await closed.press("");
  expect(closed.openWindow).toHaveBeenCalledWith("/tickets/uuid-7");
  const open = givenPhone([{ focused: false, visibilityState: "hidden" }]);
  const waiting = { kind: "accept", words: "Aceitar" } as const;
  await showPush(open.deps, { ...message, url: "/tickets", action: waiting });
  await open.press("");
  expect(open.clients[0]?.postMessage).toHaveBeenCalledWith({
    ...{ type: "open", url: "/tickets", waitingTicketId: 7 },
  });
  await showPush(closed.deps, { ...message, action: waiting, acceptedUrl: "/tickets/uuid-7" });
  await closed.press("accept");
  const [path, init] = closed.fetch.mock.calls.at(-1) ?? [];
  expect([path, init?.method]).toEqual(["/api/tickets/7", "PUT"]);
  expect(closed.openWindow).toHaveBeenLastCalledWith("/tickets/uuid-7");
});
