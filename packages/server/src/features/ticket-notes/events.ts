import type { Tx } from "../../platform/db/database.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { NoteRow } from "./note-row.ts";
import { toNoteDto } from "./note-row.ts";

/** The live events of notes: to those who have the ticket open, and to admins. Sent once the transaction has committed. */
export function createNoteEvents(realtime: Realtime) {
  const audience = ({ companyId, ticketId }: NoteRow): Room[] => [
    rooms.ticket(companyId, ticketId),
    rooms.admins(companyId),
  ];
  return {
    created(tx: Tx, row: NoteRow): void {
      tx.onCommit(() => {
        const { companyId, ticketId } = row;
        const admins = rooms.admins(companyId);
        const tell = (knowsEmails: boolean, to: Room, except: Room[]): void => {
          const note = toNoteDto(row, { knowsEmails });
          realtime.publish(companyId, "ticketNote", { action: "create", note }, [to], except);
        };
        tell(true, admins, []);
        tell(false, rooms.ticket(companyId, ticketId), [admins]);
      });
    },
    deleted(tx: Tx, row: NoteRow): void {
      const { noteId, ticketId } = row;
      tx.onCommit(() => {
        const payload = { action: "delete", noteId, ticketId } as const;
        realtime.publish(row.companyId, "ticketNote", payload, audience(row));
      });
    },
  };
}

export type NoteEvents = ReturnType<typeof createNoteEvents>;
