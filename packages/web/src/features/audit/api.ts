import type { AuditAction, AuditEntry, AuditKind, ReplyOf, SheetFormat } from "@balcao/contract";
import { auditActions, auditKinds } from "@balcao/contract/audit-choices";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { useKeysetPages } from "../../api/keyset-pages.ts";
import { currentLanguage } from "../../i18n/index.ts";

/** The filter of the list, which stands in the address. */
export type AuditChoice = Readonly<{
  words: string;
  from: string;
  to: string;
  userId: string;
  kind: AuditKind | null;
  action: AuditAction | null;
}>;

export function choiceOf(search: URLSearchParams): AuditChoice {
  const get = (name: string): string => search.get(name) ?? "";
  const day = (name: string): string => (/^\d{4}-\d\d-\d\d$/.test(get(name)) ? get(name) : "");
  return {
    ...{ words: get("q").slice(0, 200), from: day("from"), to: day("to") },
    userId: /^\d{1,9}$/.test(get("user")) ? get("user") : "",
    kind: auditKinds.find((kind) => kind === get("kind")) ?? null,
    action: auditActions.find((action) => action === get("action")) ?? null,
  };
}

/** The choice as the address has it. */
export function addressOf({ words, from, to, userId, kind, action }: AuditChoice) {
  const all = { q: words, from, to, user: userId, kind: kind ?? "", action: action ?? "" };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

const wireOf = ({ words, from, to, userId, kind, action }: AuditChoice) => ({
  ...(words === "" ? {} : { searchParam: words }),
  ...(from === "" ? {} : { dateFrom: from }),
  ...(to === "" ? {} : { dateTo: to }),
  ...(userId === "" ? {} : { userId: Number(userId) }),
  ...(kind === null ? {} : { kind }),
  ...(action === null ? {} : { action }),
});

export function useAudit(choice: AuditChoice) {
  const query = wireOf(choice);
  return useKeysetPages<AuditEntry, ReplyOf<"GET /audit">>(["audit", query], {
    read: (before, signal) =>
      call("GET /audit", { query: before === null ? query : { ...query, before } }, { signal }),
    rowsOf: ({ entries }) => entries,
  });
}

/** The people of the company by name, for the filter. */
export function useAuditPeople() {
  return useQuery({
    queryKey: ["audit", "people"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: 60_000,
  });
}

export async function saveAudit(choice: AuditChoice, format: SheetFormat): Promise<void> {
  const query = { ...wireOf(choice), format, language: currentLanguage() };
  await saveFile("GET /audit/export", { query });
}
