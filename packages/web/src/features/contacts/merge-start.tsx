import type { ContactRef } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { duplicatePages, pairKey } from "./contact-page-api.ts";
import { MergeDialog } from "./merge-dialog.tsx";

type StartProps = {
  contact: { id: number; name: string };
  /** The contact that is suggested; without it people choose one. */
  otherId?: number | undefined;
  onMerged: (keptId: number) => void;
  onClose: () => void;
};

/** Merges one contact with another one, which is chosen first. */
export function MergeStart({ contact, otherId, onMerged, onClose }: StartProps): ReactNode {
  const { t } = useTranslation();
  const [other, setOther] = useState(otherId ?? null);
  if (other === null) {
    return <OtherChoice contact={contact} onChoose={setOther} onClose={onClose} />;
  }
  return (
    <MergeDialog
      ids={[contact.id, other]}
      onMerged={(id) => {
        onClose();
        onMerged(id);
      }}
      onApart={() => {
        notifySuccess(t("contacts.merge.keptApart"));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

type ChoiceProps = Pick<StartProps, "contact" | "onClose"> & { onChoose: (id: number) => void };

function OtherChoice({ contact, onChoose, onClose }: ChoiceProps): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const { data, isFetching } = useContactChoices(words);
  const options = (data ?? [])
    .filter(({ id }) => id !== contact.id)
    .map(({ id, name, number }) => ({
      value: String(id),
      label: number === "" || number === name ? name : `${name}, ${formatPhone(number)}`,
    }));
  return (
    <FormDialog
      title={t("contacts.merge.chooseTitle", { name: contact.name })}
      submitLabel={t("contacts.merge.go")}
      isBusy={false}
      error={null}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === null) setMissing(true);
        else onChoose(Number(chosen));
      }}
      onClose={onClose}
    >
      <Select
        label={t("contacts.merge.other")}
        placeholder={t("contacts.search")}
        data={options}
        value={chosen}
        onChange={(value) => {
          setChosen(value);
          setMissing(false);
        }}
        onSearchChange={setWords}
        // The server has searched.
        filter={({ options: all }) => all}
        nothingFoundMessage={t(isFetching ? "common.loading" : "contacts.merge.nobody")}
        error={isMissing ? t("contacts.merge.chooseOne") : undefined}
        searchable
        data-autofocus
      />
    </FormDialog>
  );
}

/** Contacts by a part of their name or number. */
function useContactChoices(words: string) {
  const name = words.split(", +")[0]?.trim().toLowerCase() ?? "";
  return useQuery({
    queryKey: ["contacts", "choices", name],
    queryFn: ({ signal }): Promise<ContactRef[]> =>
      call("GET /contacts/list", { query: { name, limit: limits.choicesMax } }, { signal }),
    placeholderData: keepPreviousData,
    meta: { live: false },
  });
}

/** Goes through the pairs that may be one person, one after the other. */
export function DuplicatesReview({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const pages = duplicatePages.usePages("", { staleTime: 0 });
  const [done, setDone] = useState<Done>({ pairs: [], gone: [] });
  const [first, setFirst] = useState<number | null>(null);
  if (first === null && pages.rows !== undefined) setFirst(pages.count);
  const pair = pages.rows?.find(
    (one) =>
      !done.pairs.includes(pairKey(one)) && one.contacts.every(({ id }) => !done.gone.includes(id)),
  );
  const { hasMore, isLoadingMore, error, loadMore } = pages;
  const isNextRead = pages.rows !== undefined && pair === undefined && hasMore;
  useEffect(() => {
    if (isNextRead && !isLoadingMore && error === null) loadMore();
  });
  if (pair === undefined) {
    if (pages.rows === undefined && error === null) return null;
    return (
      <DialogFrame opened title={t("contacts.merge.title")} onClose={onClose}>
        <p className={error === null ? "bc-small" : "bc-failure"}>
          {error === null ? t("contacts.merge.allDone") : errorText(t, error)}
        </p>
        <div className="bc-actions">
          <Button onClick={onClose}>{t("common.close")}</Button>
        </div>
      </DialogFrame>
    );
  }
  const [one, other] = pair.contacts;
  const place = done.pairs.length + 1;
  const next = (gone: readonly number[]): void =>
    setDone({ pairs: [...done.pairs, pairKey(pair)], gone: [...done.gone, ...gone] });
  return (
    <MergeDialog
      ids={[one.id, other.id]}
      place={t("contacts.merge.place", { place, count: Math.max(first ?? 0, place) })}
      onMerged={(keptId) => next([one.id, other.id].filter((id) => id !== keptId))}
      onApart={() => next([])}
      onClose={onClose}
    />
  );
}

/** The pairs that were looked at, and the contacts that a merge took away. */
type Done = { pairs: readonly string[]; gone: readonly number[] };
