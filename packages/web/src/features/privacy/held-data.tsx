import type { HeldCounts, HeldPerson, PersonExport } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import { IconDownload, IconLock, IconLockOpen, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { formatMoment } from "../../i18n/format.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Button } from "../../ui/button.tsx";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { errorText, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import classes from "./privacy.module.css";

/** While an export is written. */
const READ_EVERY_MS = 2_000;
const isOpen = ({ state }: PersonExport): boolean => state === "waiting" || state === "running";

export const erasuresKey = ["privacy", "erasures"];

/** "1,2 MB" */
export const sizeOf = (bytes: number): string =>
  new Intl.NumberFormat(localeTags[currentLanguage()], {
    ...{ style: "unit", unit: "megabyte", maximumFractionDigits: 1 },
  }).format(Math.max(bytes / 1e6, 0.1));

/** The counts of what is held, by kind. */
export function Counts({ counts, bytes }: { counts: HeldCounts; bytes: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <dl className={classes["counts"]}>
      {(Object.entries(counts) as [keyof HeldCounts, number][]).map(([kind, count]) => (
        <div key={kind}>
          <dt>{t(`privacy.kinds.${kind}`)}</dt>
          <dd>{kind === "files" && bytes > 0 ? `${count} · ${sizeOf(bytes)}` : count}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows what is held of a contact, with its copy, its hold and its erasure. */
export function HeldData(props: { contactId: number; onErased: () => void }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const params = { contactId: props.contactId };
  const key = ["privacy", "person", props.contactId];
  const reading = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call("GET /privacy/contacts/:contactId", { params }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.exports.some(isOpen) ? READ_EVERY_MS : false),
  });
  const again = () => client.invalidateQueries({ queryKey: key });
  const starting = useMutation({
    mutationFn: () =>
      call("POST /privacy/contacts/:contactId/exports", {
        ...{ params, body: { language: currentLanguage() } },
      }),
    onSuccess: again,
  });
  const saving = useMutation({
    mutationFn: (personExportId: string) =>
      saveFile("GET /privacy/exports/:personExportId/file", { params: { personExportId } }),
    onError: again,
  });
  const [asks, setAsks] = useState<"erase" | "hold" | null>(null);
  const releasing = useMutation({
    mutationFn: () => call("DELETE /privacy/contacts/:contactId/hold", { params }),
    onSuccess: again,
  });
  const held = reading.data;
  if (held === undefined)
    return reading.error ? (
      <p className="bc-failure" role="alert">
        {errorText(t, reading.error)}
      </p>
    ) : (
      <ListSkeleton rows={4} />
    );
  const error = saving.error ?? starting.error ?? releasing.error;
  return (
    <section className={classes["part"]} aria-label={t("privacy.held")}>
      <h2 className={classes["heading"]}>{t("privacy.held")}</h2>
      <p className="bc-small">
        {held.identities
          .map(({ kind, value }) => (kind === "number" ? formatPhone(value) : value))
          .join(" · ")}
      </p>
      <Counts counts={held.counts} bytes={held.bytes} />
      {held.hold === null ? null : (
        <p>
          {t("privacy.hold.since", {
            ...{ reason: held.hold.reason, date: formatMoment(held.hold.at) },
            name: held.hold.userName,
          })}
        </p>
      )}
      <div className={classes["row"]}>
        <Button
          variant="default"
          loading={starting.isPending || held.exports.some(isOpen)}
          leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => starting.mutate()}
        >
          {t("privacy.export.start")}
        </Button>
        {held.hold === null ? (
          <>
            <Button
              variant="default"
              leftSection={<IconLock size={15} stroke={1.7} aria-hidden="true" />}
              onClick={() => setAsks("hold")}
            >
              {t("privacy.hold.start")}
            </Button>
            <Button
              color="bad"
              leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
              onClick={() => setAsks("erase")}
            >
              {t("privacy.erase.start")}
            </Button>
          </>
        ) : (
          <Button
            variant="default"
            loading={releasing.isPending}
            leftSection={<IconLockOpen size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => releasing.mutate()}
          >
            {t("privacy.hold.end")}
          </Button>
        )}
      </div>
      <ul className={classes["lines"]}>
        {held.exports.map((one) => (
          <li key={one.id} className={classes["line"]} role={isOpen(one) ? "status" : undefined}>
            <span>
              {formatMoment(one.createdAt)} · {one.requesterName}
              <span className="bc-small"> · {t(`privacy.states.${one.state}`)}</span>
            </span>
            {one.state === "done" && one.isMine ? (
              <Button
                variant="default"
                loading={saving.isPending && saving.variables === one.id}
                onClick={() => saving.mutate(one.id)}
              >
                {t("privacy.export.download", { size: sizeOf(one.bytes) })}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {error ? (
        <p className="bc-failure" role="alert">
          {errorText(t, error)}
        </p>
      ) : null}
      {asks === "erase" ? (
        <EraseQuestion held={held} onErased={props.onErased} onClose={() => setAsks(null)} />
      ) : null}
      {asks === "hold" ? (
        <HoldQuestion
          contactId={props.contactId}
          onDone={() => void again()}
          onClose={() => setAsks(null)}
        />
      ) : null}
    </section>
  );
}

type HoldProps = { contactId: number; onDone: () => void; onClose: () => void };

function HoldQuestion({ contactId, onDone, onClose }: HoldProps): ReactNode {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <ActionQuestion
      title={t("privacy.hold.title")}
      text={t("privacy.hold.text")}
      confirm={t("privacy.hold.start")}
      run={() =>
        call("PUT /privacy/contacts/:contactId/hold", {
          ...{ params: { contactId }, body: { reason } },
        })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <TextInput
        label={t("privacy.hold.reason")}
        value={reason}
        maxLength={50}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ActionQuestion>
  );
}

type EraseProps = {
  held: Pick<HeldPerson, "openTickets"> & {
    person: { id: number | null; name: string; number: string };
  };
  onErased: () => void;
  onClose: () => void;
};

/** Asks for the name or the number, so that nobody erases another person. */
export function EraseQuestion({ held, onErased, onClose }: EraseProps): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { id, name, number } = held.person;
  const [confirmation, setConfirmation] = useState("");
  const asked = name === "" ? number : name;
  return (
    <ActionQuestion
      title={t("privacy.erase.title", { name: asked })}
      text={t("privacy.erase.text")}
      confirm={t("privacy.erase.start")}
      isDestructive
      run={() =>
        call("POST /privacy/erasures", {
          body: { contactId: id, number: id === null ? number : "", confirmation },
        })
      }
      onDone={() => {
        notifySuccess(t("privacy.erase.begun"));
        void client.invalidateQueries({ queryKey: erasuresKey });
        onErased();
      }}
      onClose={onClose}
    >
      {held.openTickets > 0 ? (
        <p>{t("privacy.erase.openTickets", { count: held.openTickets })}</p>
      ) : null}
      <p className="bc-small">{t("privacy.erase.stays")}</p>
      <TextInput
        label={t("privacy.erase.confirm", { name: asked })}
        value={confirmation}
        onChange={({ currentTarget }) => setConfirmation(currentTarget.value)}
      />
    </ActionQuestion>
  );
}
