import type { ChangedTicket, Macro, RequestOf, Ticket } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";
import { UNDO_ASKED_SECONDS } from "../../ui/undo.tsx";

/** The macros of the company by name. */
export const macroList = liveList<Macro, number>({
  key: ["macros"],
  read: (signal) => call("GET /macros", {}, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
}).follow("macro", (event) =>
  event.action === "delete" ? { removedId: event.macroId } : { row: event.macro },
);

type MacroBody = RequestOf<"POST /macros">["body"];

/** Saves a new (`id` null) or known macro. */
export async function saveMacro(id: number | null, body: MacroBody): Promise<Macro> {
  const saved =
    id === null
      ? await call("POST /macros", { body })
      : await call("PUT /macros/:macroId", { params: { macroId: id }, body });
  macroList.apply({ row: saved });
  return saved;
}

export async function deleteMacro(id: number): Promise<void> {
  await call("DELETE /macros/:macroId", { params: { macroId: id } });
  macroList.apply({ removedId: id });
}

/** Carries out a macro on a ticket; `undo` undoes all its steps. */
export async function runMacro(
  macroId: number,
  ticketId: number,
): Promise<{ ticket: Ticket; undo: ChangedTicket["undo"] }> {
  const body = { ticketId, undoSeconds: UNDO_ASKED_SECONDS };
  const reply = await call("POST /macros/:macroId/run", { params: { macroId }, body });
  const { undo, ...ticket } = reply;
  return { ticket, undo };
}

/** The keys of a macro as tooltips show them. */
export function keysOf(key: string): string {
  return `Alt Shift ${key}`;
}
