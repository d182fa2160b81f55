import type { SessionUser } from "@balcao/contract";
import type { Store } from "../store/index.ts";
import { createStore } from "../store/index.ts";
import { randomUuid } from "./random-uuid.ts";

/** The signed-in user of this browser. `id` identifies one sign-in and stays when its token is renewed. */
export type StoredSession = {
  token: string;
  user: SessionUser;
  id: string;
  /** Epoch ms by this browser's clock. */
  startedAtMs: number;
  /** A user of the provider is in another company, with the rights of `user`. */
  visit?: Visit;
};

export type Visit = Readonly<{ companyName: string; endsAt: string }>;

/** Why a session ended; the sign-in page explains all but `logout`. */
export type SignOutReason = "logout" | "expired" | "elsewhere";

/**
 * Keys of the browser storage. The first five are the format that clients of the product family share (wire-contract
 * 3.1); the `balcao.` ones are ours.
 */
const keys = {
  token: "token",
  companyId: "companyId",
  userId: "userId",
  companyDueDate: "companyDueDate",
  campaigns: "cshow",
  user: "balcao.user",
  session: "balcao.session",
  lastUserId: "balcao.lastUserId",
  reason: "balcao.signedOut",
} as const;

/**
 * Settings of this device or of one user on it, which contain no customer data, the personal list of tasks, which is kept
 * nowhere else, and unsent messages, which wait for their user. They survive sign-out, except that a user who signs out discards the own unsent messages. All other keys (drafts)
 * are removed.
 */
const LASTING_KEYS =
  /^(volume$|balcao\.(theme$|language$|drawer$|audio-speed$|lastUserId$|hiddenColumns\.|list\.|team\.|sign\.|undo\.|simulator\.|unsent\.|tasks\.))/;

/** Begins the keys of the unsent messages of a user of a company; null: of all. */
export function unsentPrefix(owner: { companyId: number; userId: number } | null): string {
  return owner === null ? "balcao.unsent." : `balcao.unsent.${owner.companyId}.${owner.userId}.`;
}

const stored = createStore<StoredSession | null>(readStored());
let lastEnd: SignOutReason | null = null;

/** The signed-in session, null when there is none. The same object until something changes. */
export const currentSession = stored.get;

/** Calls `listener` after each change, also by another tab. Returns a function that stops it. */
export const subscribeToSession = stored.subscribe;

/** A store that is reset at each sign-in and sign-out, so that the next user sees none of it. */
export function createSessionStore<T>(initial: T, onDropped?: (dropped: T) => void): Store<T> {
  const store = createStore(initial);
  let sessionId = currentSession()?.id;
  subscribeToSession(() => {
    if (sessionId === currentSession()?.id) return;
    sessionId = currentSession()?.id;
    onDropped?.(store.get());
    store.set(initial);
  });
  return store;
}

/** Stores a new session. Data of another user's session (drafts) is removed first. */
export function startSession(token: string, user: SessionUser): void {
  if (localStorage.getItem(keys.lastUserId) !== String(user.id)) removeAllButLasting(null);
  sessionStorage.removeItem(keys.reason);
  localStorage.setItem(keys.lastUserId, String(user.id));
  write({ token, user, id: randomUuid(), startedAtMs: Date.now() });
}

/** Stores the session of a visit. What the visitor's own session left here stays: it comes back. */
export function startVisit(token: string, user: SessionUser, visit: Visit): void {
  write({ token, user, id: randomUuid(), startedAtMs: Date.now(), visit });
}

/** Stores a renewed token of the same sign-in, with the user's current data. After a visit it is the visitor's own session. */
export function renewSession(token: string, user: SessionUser): void {
  const current = currentSession();
  if (!current) return;
  if (current.visit) {
    startSession(token, user);
    window.location.assign("/");
  } else write({ ...current, token, user });
}

/** Stores a change of the user. Live updates have neither settings nor plan, so the known ones stay. */
export function updateSessionUser(user: SessionUser): void {
  const current = currentSession();
  if (!current) return;
  const { settings, plan } = current.user.company;
  const company = { ...(settings && { settings }), ...(plan && { plan }), ...user.company };
  write({ ...current, user: { ...user, company } });
}

/** Stores a changed setting of the company; other tabs get it from the server too. */
export function updateSessionSetting(key: string, value: string): void {
  const current = currentSession();
  const known = current?.user.company.settings;
  if (!current || !known?.some((entry) => entry.key === key && entry.value !== value)) return;
  const settings = known.map((entry) => (entry.key === key ? { ...entry, value } : entry));
  const company = { ...current.user.company, settings };
  write({ ...current, user: { ...current.user, company } });
}

/** Stores a changed due date of the company, which also decides whether the company may work. */
export function updateSessionCompany(
  changed: Pick<SessionUser["company"], "dueDate" | "status">,
): void {
  const current = currentSession();
  if (!current) return;
  const { company } = current.user;
  const { dueDate, status } = changed;
  if (company.dueDate === dueDate && company.status === status) return;
  write({ ...current, user: { ...current.user, company: { ...company, dueDate, status } } });
}

/**
 * Ends the session. After `expired` drafts stay for the same user; otherwise only settings of the device stay, and unsent
 * messages unless the user signed out.
 */
export function endSession(reason: SignOutReason): void {
  lastEnd = reason;
  if (reason !== "logout") rememberReason(reason);
  if (reason === "expired") {
    for (const key of [keys.companyId, keys.userId, keys.companyDueDate, keys.campaigns]) {
      localStorage.removeItem(key);
    }
    localStorage.removeItem(keys.user);
    localStorage.removeItem(keys.session);
    localStorage.removeItem(keys.token);
  } else {
    removeAllButLasting(reason === "logout" ? currentSession() : null);
  }
  stored.set(null);
}

/** The reason why the last session of this page ended; null if none ended. */
export function lastSignOut(): SignOutReason | null {
  return lastEnd;
}

/** Stores the reason for the end of the session; only the first reason counts. */
export function rememberReason(reason: SignOutReason): void {
  if (sessionStorage.getItem(keys.reason) === null) sessionStorage.setItem(keys.reason, reason);
}

/** The reason that the sign-in page shows, also after a reload, until the next sign-in. */
export function signOutToExplain(): "expired" | "elsewhere" | null {
  const reason = sessionStorage.getItem(keys.reason);
  return reason === "expired" || reason === "elsewhere" ? reason : null;
}

/** Reads the session that another tab stored, including a renewed token. */
export function adoptStoredSession(): void {
  const found = readStored();
  if (JSON.stringify(found) !== JSON.stringify(currentSession())) stored.set(found);
}

/** Keeps this tab in step with the others; called once at start. Returns a function that stops it. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.storageArea !== null && event.storageArea !== localStorage) return;
    // The token is always written last and removed last; `null` is a clear of everything.
    if (event.key === null || event.key === keys.token || event.key === keys.user) {
      adoptStoredSession();
    }
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

function write(session: StoredSession): void {
  const { user } = session;
  localStorage.setItem(keys.companyId, String(user.companyId));
  localStorage.setItem(keys.userId, String(user.id));
  if (user.company.dueDate === null) localStorage.removeItem(keys.companyDueDate);
  else
    localStorage.setItem(
      keys.companyDueDate,
      dayMonthYear(user.company.dueDate, user.company.timeZone),
    );
  if (hasCampaigns(user)) localStorage.setItem(keys.campaigns, "true");
  else localStorage.removeItem(keys.campaigns);
  localStorage.setItem(
    keys.session,
    JSON.stringify({ id: session.id, startedAtMs: session.startedAtMs, visit: session.visit }),
  );
  localStorage.setItem(keys.user, JSON.stringify(user));
  localStorage.setItem(keys.token, JSON.stringify(session.token));
  stored.set(session);
}

function readStored(): StoredSession | null {
  const token = readJson(keys.token);
  const user = readJson(keys.user);
  const mark = readJson(keys.session);
  if (typeof token !== "string" || !isSessionUser(user) || !isMark(mark)) return null;
  return { token, user, ...mark };
}

function readJson(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null; // written by something else: as good as absent
  }
}

/** Our own record, so only its outline is checked; the full schema would put zod into the first load. */
function isSessionUser(value: unknown): value is SessionUser {
  if (typeof value !== "object" || value === null) return false;
  if (!("id" in value) || typeof value.id !== "number") return false;
  if (!("company" in value) || typeof value.company !== "object") return false;
  return value.company !== null && "queues" in value && Array.isArray(value.queues);
}

function isMark(value: unknown): value is Omit<StoredSession, "token" | "user"> {
  if (typeof value !== "object" || value === null) return false;
  return (
    "id" in value &&
    typeof value.id === "string" &&
    "startedAtMs" in value &&
    typeof value.startedAtMs === "number"
  );
}

/** `signedOut`: the session whose unsent messages go as well. */
function removeAllButLasting(signedOut: StoredSession | null): void {
  const user = signedOut?.user;
  const unsent = user ? unsentPrefix({ companyId: user.companyId, userId: user.id }) : null;
  const found = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
  for (const key of found) {
    if (key === null || key === keys.token) continue;
    const isUnsent = unsent !== null && key.startsWith(unsent);
    if (isUnsent || !LASTING_KEYS.test(key)) localStorage.removeItem(key);
  }
  localStorage.removeItem(keys.token); // last: the other tabs read at this moment
}

/** Whether the pages of campaigns are shown, if the plan has them (wire-contract 3.1). */
export function hasCampaigns(user: SessionUser): boolean {
  const setting = user.company.settings?.find((entry) => entry.key === "campaignsEnabled");
  return setting?.value === "true";
}

/** DD/MM/YYYY in every language, the format of the family's clients. */
function dayMonthYear(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat("pt-BR", {
    timeZone,
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
  }).format(new Date(iso));
}
