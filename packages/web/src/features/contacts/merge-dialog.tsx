import { IconArrowMerge, IconLock, IconMessageOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useId, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { AppAvatar, errorText, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { LoadFailed } from "../../ui/states.tsx";
import type { MergePreview } from "./contact-page-api.ts";
import { keepApart, mergeContacts, useMergePreview } from "./contact-page-api.ts";
import type { MergeField } from "./merge-choices.ts";
import { choicesOf, fieldsOf, staysFirst } from "./merge-choices.ts";
import classes from "./merge-dialog.module.css";

type Props = {
  ids: readonly [number, number];
  /** The place among the pairs that are looked through: "3 de 14". */
  place?: string | undefined;
  onMerged: (keptId: number) => void;
  /** They are two people, and the pair is not suggested again. */
  onApart: () => void;
  onClose: () => void;
};

/** Two contacts beside each other: people choose what stays, and make them one (ui-2.md, merge). */
export function MergeDialog(props: Props): ReactNode {
  const { ids, place, onClose } = props;
  const { t } = useTranslation();
  const { data, error, refetch } = useMergePreview(...ids);
  return (
    <DialogFrame
      opened
      size={760}
      title={
        <>
          {t("contacts.merge.title")}{" "}
          {place === undefined ? null : <span className={classes["place"]}>{place}</span>}
        </>
      }
      onClose={onClose}
    >
      {data === undefined && error === null ? <ListSkeleton rows={6} /> : null}
      {data === undefined && error !== null ? (
        <LoadFailed icon={IconArrowMerge} error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined ? null : (
        <Choices key={ids.join(" ")} {...props} preview={inOrder(data)} onRefresh={refetch} />
      )}
    </DialogFrame>
  );
}

/** The contact that stays on the left. */
const inOrder = (preview: MergePreview): MergePreview =>
  staysFirst(preview) ? preview : { ...preview, own: preview.other, other: preview.own };

type ChoicesProps = Props & { preview: MergePreview; onRefresh: () => Promise<unknown> };

/** The button waits so long after the values have changed under the pointer. */
const REFRESHED_MS = 1_000;

function Choices(props: ChoicesProps): ReactNode {
  const { preview, place, onMerged, onApart, onClose, onRefresh } = props;
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Readonly<Record<string, "own" | "other">>>({});
  const [isRefreshed, setRefreshed] = useState(false);
  const fields = fieldsOf(preview, chosen);
  const { own, other, inTheWay, reason } = preview;
  const note = useId();
  const merging = useMutation({
    mutationFn: () => mergeContacts(own.contact.id, choicesOf(preview, fields)),
    onSuccess: ({ id, name }) => {
      notifySuccess(t("contacts.merge.done", { name }));
      onMerged(id);
    },
    onError: async (error) => {
      const isOld = error instanceof ApiError && error.code === "ERR_CONTACT_CHANGED";
      const isServed = error instanceof ApiError && error.code === "ERR_CONTACTS_BOTH_SERVED";
      if (!isOld && !isServed) return;
      await onRefresh();
      if (isOld) setRefreshed(true);
    },
  });
  const apart = useMutation({
    mutationFn: () => keepApart(own.contact.id, other.contact.id),
    onSuccess: onApart,
  });
  useEffect(() => {
    if (!isRefreshed) return undefined;
    const timer = setTimeout(() => setRefreshed(false), REFRESHED_MS);
    return () => clearTimeout(timer);
  }, [isRefreshed]);
  const error = merging.error ?? apart.error;
  const isBusy = merging.isPending || apart.isPending;
  return (
    <div className={classes["dialog"]}>
      <p className="bc-small">
        {reason === null ? null : t(`contacts.merge.reasons.${reason}`)} {t("contacts.merge.text")}
      </p>
      <div className={classes["fields"]}>
        <Head preview={preview} />
        {fields.map((field) => (
          <Field
            key={field.key}
            field={field}
            onChoose={(side) => setChosen({ ...chosen, [field.key]: side })}
          />
        ))}
        <OptOuts preview={preview} />
      </div>
      <Sums preview={preview} />
      {inTheWay.length > 0 ? (
        <p className="bc-failure" role="alert">
          {t("contacts.merge.bothServed")}{" "}
          {inTheWay.map((ticket) => (
            <Link key={ticket.id} className={classes["way"] ?? ""} to={`/tickets/${ticket.uuid}`}>
              {ticket.contactId === own.contact.id ? own.contact.name : other.contact.name}
            </Link>
          ))}
        </p>
      ) : null}
      {error === null || inTheWay.length > 0 ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, error)}
        </p>
      )}
      <footer className={classes["foot"]}>
        <Button
          variant="subtle"
          loading={apart.isPending}
          disabled={isBusy}
          onClick={() => apart.mutate()}
        >
          {t("contacts.merge.apart")}
        </Button>
        <span id={note} className={classes["note"]}>
          {t("contacts.merge.forGood")}
        </span>
        <Button variant="default" onClick={onClose}>
          {t(place === undefined ? "common.cancel" : "common.close")}
        </Button>
        <Button
          aria-describedby={note}
          loading={merging.isPending}
          disabled={isBusy || isRefreshed || inTheWay.length > 0}
          leftSection={<IconArrowMerge size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => merging.mutate()}
        >
          {t("contacts.merge.confirm")}
        </Button>
      </footer>
    </div>
  );
}

function Head({ preview: { own, other } }: { preview: MergePreview }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["row"]}>
      <span />
      {[own, other].map(({ contact }) => (
        <div key={contact.id} className={classes["who"]}>
          <AppAvatar name={contact.name} id={contact.id} size={40} />
          <p>
            <strong>{contact.name}</strong>
            <span className="bc-meta">
              {t("contacts.merge.since", { date: formatDate(contact.createdAt) })}
            </span>
          </p>
        </div>
      ))}
    </div>
  );
}

type FieldProps = { field: MergeField; onChoose: (side: "own" | "other") => void };

function Field({ field, onChoose }: FieldProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const { key, own, other, chosen } = field;
  const label = field.label ?? t(`contacts.page.fields.${plainKey(key)}`);
  const textOf = (value: string): string => (key === "number" ? formatPhone(value) : value);
  if (chosen === undefined) {
    const isEqual = own === other;
    return (
      <div className={classes["row"]}>
        <span className={classes["label"]}>{label}</span>
        <Fixed text={textOf(own)} isKept={own !== ""} />
        {isEqual ? (
          <span className={classes["same"]}>{t("contacts.merge.same")}</span>
        ) : (
          <Fixed text={textOf(other)} isKept={other !== ""} />
        )}
      </div>
    );
  }
  return (
    <div className={classes["row"]} role="radiogroup" aria-labelledby={id}>
      <span id={id} className={classes["label"]}>
        {label}
      </span>
      {(["own", "other"] as const).map((side) => (
        <label key={side} className={classes["choice"]}>
          <input type="radio" name={id} checked={chosen === side} onChange={() => onChoose(side)} />
          <span>{textOf(side === "own" ? own : other)}</span>
        </label>
      ))}
    </div>
  );
}

const plainKey = (key: string): "name" | "number" | "email" =>
  key === "number" || key === "email" ? key : "name";

/** A value without a choice: the only one stays, an empty one never does. */
function Fixed({ text, isKept }: { text: string; isKept: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["fixed"]} data-kept={isKept || undefined}>
      {isKept ? text : t("contacts.none")}
    </span>
  );
}

/** The wish for no messages always stays. */
function OptOuts({ preview: { own, other } }: { preview: MergePreview }): ReactNode {
  const { t } = useTranslation();
  if (own.contact.optOut === null && other.contact.optOut === null) {
    return <BothNumbers own={own} other={other} />;
  }
  return (
    <>
      <div className={classes["row"]}>
        <span className={classes["label"]}>{t("contacts.page.messages")}</span>
        {[own, other].map(({ contact: { id, optOut } }) =>
          optOut === null ? (
            <span key={id} className={classes["same"]}>
              {t("contacts.merge.mayReceive")}
            </span>
          ) : (
            <span key={id} className={classes["fixed"]} data-kept>
              <IconMessageOff size={15} stroke={1.7} aria-hidden="true" />
              <span className="bc-fill">
                {t("contacts.merge.optedOut", { date: formatDate(optOut.at) })}
              </span>
              <IconLock size={15} stroke={1.7} aria-hidden="true" />
            </span>
          ),
        )}
      </div>
      <p className={classes["hint"]}>{t("contacts.merge.optOutStays")}</p>
      <BothNumbers own={own} other={other} />
    </>
  );
}

function BothNumbers({ own, other }: Pick<MergePreview, "own" | "other">): ReactNode {
  const { t } = useTranslation();
  const numbers = [own.contact.number, other.contact.number];
  if (numbers.includes("") || numbers[0] === numbers[1]) return null;
  return <p className={classes["hint"]}>{t("contacts.merge.bothNumbers")}</p>;
}

const sums = ["attendances", "messages", "schedules", "notes", "lists"] as const;

/** What comes together. */
function Sums({ preview: { own, other } }: { preview: MergePreview }): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["sums"]} aria-label={t("contacts.merge.together")}>
      <h3>{t("contacts.merge.together")}</h3>
      <dl>
        {sums.map((sum) => (
          <div key={sum}>
            <dt>{t(`contacts.merge.sums.${sum}`)}</dt>
            <dd>
              <strong>{own[sum] + other[sum]}</strong> {own[sum]} + {other[sum]}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
