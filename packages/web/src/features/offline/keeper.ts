import type { Query } from "@tanstack/react-query";
import { hashKey } from "@tanstack/react-query";
import { ApiError } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession, subscribeToSession } from "../../api/session-store.ts";
import { epochMs } from "../../ui/clock.ts";
import type { Vault } from "./vault.ts";
import { openVault, removeVault } from "./vault.ts";

/** Between two writings of what has changed. */
const WRITE_EVERY_MS = 2_000;
const MESSAGES_KEPT = 50;
/** Written when a value was last known to be the server's. */
const SEEN = "seen";

/** Lists and records of the first screens. Searches, figures and the pages of admins are not kept. */
const keptKeys =
  /^\["(tickets","(list|one|unread|pins)"|queues"|settings"|tags"|connections"|company"|resolve-reasons"|mentions"|ticket-notes",\d+\]|quick-messages"|macros"|plan",\d+\]|drafts",\d+\])/;
const conversation = /^\["messages",\d+\]$/;

const isKept = (name: string): boolean => keptKeys.test(name) || conversation.test(name);

/** The part of a value that is kept: of a conversation its end; of connections no secret. */
function partOf(name: string, value: unknown): unknown {
  if (name.startsWith('["connections"') && Array.isArray(value)) {
    return value.map((one: object) => ({ ...one, ...withoutSecrets }));
  }
  if (!conversation.test(name) || typeof value !== "object" || value === null) return value;
  const history = value as { messages?: readonly unknown[]; hasNewer?: boolean; hasMore?: boolean };
  if (!Array.isArray(history.messages) || history.hasNewer === true) return undefined;
  const messages: unknown[] = history.messages.slice(-MESSAGES_KEPT);
  const hasMore = history.hasMore === true || messages.length < history.messages.length;
  return { ...history, messages, hasMore };
}

/** Admins get them; without a network they serve nothing. */
const withoutSecrets = { token: null, qrcode: "", pairingCode: "" };

let vault: Promise<Vault | null> | null = null;
/** Undefined: not looked yet, and a session before may have left something. */
let vaultOf: string | null | undefined;

/** The storage of the session; null without one, for a visit, and where the browser keeps nothing. */
async function ownVault(): Promise<Vault | null> {
  const session = currentSession();
  const owner = session && !session.visit ? session.id : null;
  if (owner !== vaultOf) {
    const before = vault;
    vaultOf = owner;
    vault = owner === null ? null : openVault(owner, epochMs).catch(() => null);
    (await before)?.close();
    if (owner === null) await removeVault().catch(() => undefined);
  }
  return vault;
}

const dirty = new Map<string, Query>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Follows what the page shows: keeps it, and gives it back while there is no network. */
export function startKeeping(): () => void {
  const stopQueries = queryClient.getQueryCache().subscribe((event) => {
    const { query } = event;
    const name = hashKey(query.queryKey);
    if (!isKept(name)) return;
    if (event.type === "added" && isKeptPage()) void giveBack(query, name);
    if (event.type !== "updated") return;
    const { type } = event.action;
    if (type === "success" && !isGivenBack(query)) note(name, query);
    if (type === "error" && isAway(query.state.error)) void giveBack(query, name);
  });
  for (const query of queryClient.getQueryCache().getAll()) {
    const name = hashKey(query.queryKey);
    if (!isKept(name)) continue;
    if (query.state.data !== undefined) note(name, query);
    else if (isKeptPage()) void giveBack(query, name);
  }
  const stopSession = subscribeToSession(() => void ownVault());
  const write = (): void => void writeDirty();
  document.addEventListener("visibilitychange", write);
  addEventListener("pagehide", write);
  void ownVault();
  return () => {
    stopQueries();
    stopSession();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", write);
    removeEventListener("pagehide", write);
  };
}

/** The worker had no network for this page (`worker/pages.ts`). */
export const isKeptPage = (): boolean => "kept" in document.documentElement.dataset;

const isAway = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

const givenBack = new WeakSet<object>();
const isGivenBack = ({ state }: Query): boolean =>
  typeof state.data === "object" && state.data !== null && givenBack.has(state.data);

function note(name: string, query: Query): void {
  dirty.set(name, query);
  timer ??= setTimeout(() => void writeDirty(), WRITE_EVERY_MS);
}

async function writeDirty(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const changed = [...dirty];
  dirty.clear();
  const own = await ownVault();
  if (!own || changed.length === 0) return;
  try {
    const at = epochMs();
    for (const [name, { state }] of changed) {
      const value = partOf(name, state.data);
      if (value === undefined) continue;
      await own.put(name, value, { at, isConversation: conversation.test(name) });
    }
    await own.put(SEEN, at, { at, isConversation: false });
  } catch (error) {
    // Another tab has signed out, or the storage is full: then nothing is kept.
    if (!(error instanceof DOMException)) reportError(error);
  }
}

/** Shows what was kept where the server cannot be asked. A later answer of the server takes its place. */
async function giveBack(query: Query, name: string): Promise<void> {
  const kept = query.state.data === undefined ? await (await ownVault())?.get(name) : null;
  if (kept && query.state.data === undefined) {
    if (typeof kept.value === "object" && kept.value !== null) givenBack.add(kept.value);
    query.setState({ ...fine, data: kept.value, dataUpdatedAt: kept.at });
  } else if (query.state.status === "error" && query.state.data !== undefined) {
    query.setState(fine);
  }
}

/** The shown data is all that there is for now: no failure. */
const fine = { status: "success", error: null } as const;

/** When what is shown was the server's last; null when nothing was kept. */
export async function keptSince(): Promise<number | null> {
  return (await (await ownVault())?.get(SEEN))?.at ?? null;
}
