import type { TicketNote } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { useState } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useTicketNotes } from "./api.ts";
import { removeNote, useAddNote } from "./note-changes.ts";
import classes from "./ticket-notes.module.css";
import { Button } from "../../ui/button.tsx";

/** The notes of the team about a ticket, and the form for a new one. Customers never see them. */
export function TicketNotes({ ticketId }: { ticketId: number }): ReactNode {
  const { t } = useTranslation();
  const { notes, error } = useTicketNotes(ticketId);
  return (
    <div className={classes["notes"]}>
      <NewNote ticketId={ticketId} />
      {error === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, error)}
        </p>
      )}
      <ul className={classes["list"]}>
        {notes.map((note) => (
          <Note key={note.id} note={note} />
        ))}
      </ul>
    </div>
  );
}

type NewProps = {
  ticketId: number;
  onAdded?: () => void;
};

/** The form for a new note about a ticket. */
export function NewNote({ ticketId, onAdded }: NewProps): ReactNode {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isShort, setShort] = useState(false);
  const add = useAddNote(ticketId);
  const refusal = add.error === null ? undefined : errorText(t, add.error);

  function submit(): void {
    if (text.trim().length < limits.noteMin) {
      setShort(true);
      return;
    }
    add.mutate(text.trim(), {
      onSuccess: () => {
        setText("");
        notifySuccess(t("notes.added"));
        onAdded?.();
      },
    });
  }
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    submit();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  }

  return (
    <form className={classes["form"]} noValidate onSubmit={onSubmit}>
      <Textarea
        value={text}
        rows={2}
        maxLength={limits.noteMax}
        aria-label={t("notes.label")}
        placeholder={t("notes.placeholder")}
        error={isShort ? t("notes.short") : refusal}
        onChange={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          if (next.trim().length >= limits.noteMin) setShort(false);
        }}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" size="xs" variant="default" loading={add.isPending}>
        {t("notes.add")}
      </Button>
    </form>
  );
}

type NoteProps = {
  note: TicketNote;
  /** The note was removed, or is there again. */
  onChange?: () => void;
};

/** A note with its author and time; its author and admins can remove it. */
export function Note({ note, onChange }: NoteProps): ReactNode {
  const { t } = useTranslation();
  const { user, can } = useSession();
  const [isRemoving, setRemoving] = useState(false);
  const mayDelete = note.userId === user.id || can("notes:delete-any");
  const author = note.user.name === "" ? t("notes.formerUser") : note.user.name;
  const moment = `${formatDayLabel(note.createdAt)}, ${formatTime(note.createdAt)}`;
  return (
    <li className={classes["note"]}>
      <p className={classes["text"]}>{note.note}</p>
      <div className={classes["foot"]}>
        <span className="bc-meta">
          {author} · <time dateTime={note.createdAt}>{moment}</time>
        </span>
        {mayDelete ? (
          <IconButton
            size="small"
            label={t("notes.delete", { author, moment })}
            icon={IconTrash}
            disabled={isRemoving}
            onClick={() => {
              setRemoving(true);
              removeNote(note, onChange)
                .then(() => notifySuccess(t("notes.deleted")))
                .catch(notifyError)
                .finally(() => setRemoving(false));
            }}
          />
        ) : null}
      </div>
    </li>
  );
}
