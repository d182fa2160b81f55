import type { Chat } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { AppAvatar, errorText, ListSkeleton } from "../../ui/index.ts";
import { plain } from "../../ui/matches.ts";
import { othersOf, ownId, saveChat } from "./api.ts";
import classes from "./chats.module.css";

type Props = {
  /** Null for a new one. */
  chat: Chat | null;
  onClose: () => void;
  onSaved: (chat: Chat) => void;
};

/** People of a chat; from two others on, or for an existing group, its title too. */
export function ChatDialog({ chat, onClose, onSaved }: Props): ReactNode {
  const { t } = useTranslation();
  const [title, setTitle] = useState(chat === null || chat.isDirect ? "" : chat.title);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(chat === null ? [] : othersOf(chat).map(({ userId }) => userId)),
  );
  const [words, setWords] = useState("");
  const [wrong, setWrong] = useState<"title" | "users" | null>(null);
  const people = useQuery({
    queryKey: ["chats", "people"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (all) =>
      all.filter(({ id }) => id !== ownId()).toSorted((a, b) => a.name.localeCompare(b.name)),
  });
  const isGroup = chosen.size > 1 || chat !== null;
  const save = useMutation({
    mutationFn: () => {
      const ids = (people.data ?? []).filter(({ id }) => chosen.has(id)).map(({ id }) => ({ id }));
      return saveChat(chat, { title: isGroup ? title.trim() : "", users: ids });
    },
    onSuccess: (saved) => {
      onClose();
      onSaved(saved);
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    event.stopPropagation();
    if (chosen.size === 0) setWrong("users");
    else if (isGroup && title.trim() === "") setWrong("title");
    else save.mutate();
  }

  function toggle(id: number): void {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
    setWrong(null);
  }

  const shown = people.data?.filter(({ name }) => plain(name).includes(plain(words))) ?? [];
  return (
    <FormDialog
      title={t(chat === null ? "chats.newTitle" : "chats.edit")}
      submitLabel={t(chat === null ? "chats.start" : "common.save")}
      isBusy={save.isPending}
      error={save.error === null ? null : errorText(t, save.error)}
      onSubmit={submit}
      onClose={onClose}
    >
      {isGroup ? (
        <TextInput
          label={t("chats.name")}
          value={title}
          maxLength={limits.chatTitleMax}
          error={wrong === "title" ? t("errors.ERR_CHAT_TITLE") : null}
          onChange={(event) => {
            setTitle(event.currentTarget.value);
            setWrong(null);
          }}
        />
      ) : null}
      <TextInput
        type="search"
        data-autofocus
        label={t("chats.people")}
        placeholder={t("chats.findPeople")}
        value={words}
        error={wrong === "users" ? t("errors.ERR_CHAT_USERS") : null}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter takes the only person that is left, and does not send the form.
          const [only] = shown;
          if (event.key !== "Enter" || words === "" || shown.length !== 1 || !only) return;
          event.preventDefault();
          toggle(only.id);
          setWords("");
        }}
      />
      {people.data === undefined ? (
        <ListSkeleton />
      ) : (
        <div className={classes["people"]} role="group" aria-label={t("chats.people")}>
          {shown.map(({ id, name }) => (
            <label key={id} className={classes["person"]}>
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              <AppAvatar name={name} id={id} size={28} />
              <span className="bc-ellipsis">{name}</span>
            </label>
          ))}
          {shown.length === 0 ? <p className="bc-meta">{t("chats.nobody")}</p> : null}
        </div>
      )}
    </FormDialog>
  );
}
