import type { Help, HelpBody } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";

/** All help videos, by title. */
export const helpList = liveList<Help, number>({
  key: ["helps"],
  read: (signal) => call("GET /helps/list", {}, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.title.localeCompare(b.title),
}).follow("help", (event) =>
  event.action === "delete" ? { removedId: event.id } : { row: event.record },
);

/** Saves a new (`id` null) or known video. */
export async function saveHelp(id: number | null, body: HelpBody): Promise<Help> {
  const row =
    id === null
      ? await call("POST /helps", { body })
      : await call("PUT /helps/:helpId", { params: { helpId: id }, body });
  helpList.apply({ row });
  return row;
}

export async function deleteHelp(id: number): Promise<void> {
  await call("DELETE /helps/:helpId", { params: { helpId: id } });
  helpList.apply({ removedId: id });
}

const code = /^[A-Za-z0-9_-]{6,20}$/;
const hosts = /^((www|m|music)\.)?(youtube\.com|youtube-nocookie\.com|youtu\.be)$/;

/** The code in what somebody typed or pasted: a code, or one of the usual addresses of a video. Null: there is none. */
export function videoCodeIn(typed: string): string | null {
  const text = typed.trim();
  if (code.test(text)) return text;
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  if (url === null || !hosts.test(url.hostname)) return null;
  const [first = "", second = ""] = url.pathname.split("/").filter(Boolean);
  const isPath = /^(embed|shorts|live|v)$/.test(first);
  const found = url.searchParams.get("v") ?? (isPath ? second : first);
  return code.test(found) ? found : null;
}
