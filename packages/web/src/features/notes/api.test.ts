import { expect, test } from "vitest";
import type { TicketNote } from "@balcao/contract";
import { ticketNote } from "@balcao/contract";
import { withNoteEvent } from "./api.ts";

function given(id: number): TicketNote {
  const at = "2026-11-20T13:00:00.000Z";
  return ticketNote.parse({
    id,
    note: `nota ${id}`,
    companyId: 1,
    ticketId: 1,
    contactId: 1,
    userId: 1,
    user: { id: 1, name: "Ana", email: "" },
    contact: { id: 1, name: "Cliente" },
    ticket: { id: 1, status: "open", createdAt: at },
    createdAt: at,
    updatedAt: at,
  });
}
const idsOf = (notes: readonly TicketNote[]) => notes.map(({ id }) => id as number);

test("a new note stands first, once, however often it is told", () => {
  const once = withNoteEvent([given(2), given(1)], { action: "create", note: given(3) });
  expect(idsOf(once)).toEqual([3, 2, 1]);
  expect(idsOf(withNoteEvent(once, { action: "create", note: given(3) }))).toEqual([3, 2, 1]);
});

test("notes that are told late stand where they belong", () => {
  const known = withNoteEvent([given(3), given(1)], { action: "create", note: given(2) });
  expect(idsOf(known)).toEqual([3, 2, 1]);
});

test("a deleted note goes", () => {
  const { id: noteId, ticketId } = given(2);
  const left = withNoteEvent([given(2), given(1)], { action: "delete", noteId, ticketId });
  expect(idsOf(left)).toEqual([1]);
});
