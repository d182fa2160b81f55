import type { AuditEntry } from "@balcao/contract";
import { auditActions, auditKinds } from "@balcao/contract/audit-choices";
import { NativeSelect, TextInput } from "@mantine/core";
import { IconChevronDown, IconHistory } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { PageSearch } from "../../ui/page/page.tsx";
import type { AuditChoice } from "./api.ts";
import { addressOf, choiceOf, saveAudit, useAudit, useAuditPeople } from "./api.ts";
import classes from "./audit.module.css";
import { fieldName, sentenceOf, shownFields, valueText } from "./sentences.ts";

type Props = {
  /** The title of a setting on the page. */
  settingLabel: (key: string) => string;
};

/** The entries of the company, the newest first, narrowed by what stands in the address. */
export function AuditPanel({ settingLabel }: Props): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const choice = choiceOf(search);
  const { rows, error, hasMore, isLoadingMore, loadMore, retry } = useAudit(choice);
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const change = (next: Partial<AuditChoice>): void =>
    setSearch({ tab: "audit", ...addressOf({ ...choice, ...next }) }, { replace: true });
  const clear = (): void => {
    setClearings(clearings + 1);
    setSearch({ tab: "audit" }, { replace: true });
  };
  const isFiltered = Object.keys(addressOf(choice)).length > 0;
  return (
    <div className={classes["panel"]}>
      <Filters key={clearings} choice={choice} onChange={change} />
      {error !== null && rows === undefined ? (
        <LoadFailed icon={IconHistory} error={error} onRetry={retry} />
      ) : null}
      {rows === undefined && error === null ? <ListSkeleton rows={6} /> : null}
      {rows?.length === 0 ? (
        <EmptyState
          icon={IconHistory}
          title={isFiltered ? t("common.noFiltered") : t("audit.none")}
          {...(isFiltered
            ? {
                action: (
                  <Button variant="default" onClick={clear}>
                    {t("audit.clear")}
                  </Button>
                ),
              }
            : { text: t("audit.noneText") })}
        />
      ) : null}
      {rows === undefined || rows.length === 0 ? null : (
        <ul className={classes["entries"]} aria-label={t("audit.entries")}>
          {rows.map((entry) => (
            <Entry key={entry.id} entry={entry} settingLabel={settingLabel} />
          ))}
        </ul>
      )}
      {hasMore ? (
        <div className={classes["more"]}>
          <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
            {t("audit.more")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

type FiltersProps = { choice: AuditChoice; onChange: (next: Partial<AuditChoice>) => void };

function Filters({ choice, onChange }: FiltersProps): ReactNode {
  const { t } = useTranslation();
  const people = useAuditPeople().data ?? [];
  return (
    <div className={classes["filters"]}>
      <div className={classes["find"]}>
        <PageSearch
          label={t("audit.search")}
          start={choice.words}
          onSearch={(words) => onChange({ words })}
        />
        <ExportButton isNamed save={(format) => saveAudit(choice, format)} />
      </div>
      <NativeSelect
        label={t("audit.person")}
        value={choice.userId}
        onChange={(event) => onChange({ userId: event.currentTarget.value })}
        data={[
          { value: "", label: t("audit.everybody") },
          ...people.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <NativeSelect
        label={t("audit.kind")}
        value={choice.kind ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange({ kind: auditKinds.find((one) => one === value) ?? null })
        }
        data={[
          { value: "", label: t("audit.everything") },
          ...auditKinds
            .map((kind) => ({ value: kind, label: t(`audit.kinds.${kind}`) }))
            .toSorted((a, b) => a.label.localeCompare(b.label)),
        ]}
      />
      <NativeSelect
        label={t("audit.action")}
        value={choice.action ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange({ action: auditActions.find((one) => one === value) ?? null })
        }
        data={[
          { value: "", label: t("audit.everyAction") },
          ...auditActions.map((action) => ({ value: action, label: t(`audit.actions.${action}`) })),
        ]}
      />
      {(["from", "to"] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          label={t(`audit.${end}`)}
          value={choice[end]}
          {...(end === "from" ? { max: choice.to } : { min: choice.from })}
          onChange={(event) => onChange({ [end]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}

function Entry({ entry, settingLabel }: { entry: AuditEntry } & Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { actor, at, address, device, requestId } = entry;
  const fields = shownFields(entry);
  return (
    <li className={classes["entry"]}>
      <button
        type="button"
        className={classes["head"]}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes["words"]}>
          <span className={classes["sentence"]}>{sentenceOf(t, entry, settingLabel)}</span>
          <span className={classes["about"]}>
            {`${formatDayLabel(at)}, ${formatTime(at)}`}
            {actor.visitorName === null
              ? null
              : ` · ${t("audit.visitor", { name: actor.visitorName })}`}
            {actor.isProvider ? ` · ${t("audit.provider")}` : null}
            {summaryOf(t, fields)}
          </span>
        </span>
        <IconChevronDown
          size={16}
          stroke={1.7}
          aria-hidden="true"
          className={classes["arrow"]}
          data-open={isOpen}
        />
      </button>
      <div id={id} hidden={!isOpen} className={classes["details"]}>
        {fields.length === 0 ? null : (
          <table className={classes["fields"]}>
            <thead>
              <tr>
                <th scope="col">{t("audit.field")}</th>
                <th scope="col">{t("audit.before")}</th>
                <th scope="col">{t("audit.after")}</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ name, before, after }) => (
                <tr key={name}>
                  <th scope="row">{fieldName(t, name)}</th>
                  <td>{valueText(t, before)}</td>
                  <td>{valueText(t, after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p className={classes["place"]}>
          {[device, address, requestId && t("audit.request", { id: requestId })]
            .filter(Boolean)
            .join(" · ") || t("audit.noPlace")}
        </p>
      </div>
    </li>
  );
}

/** The first changed field in the line itself, so that most entries need not be opened. */
function summaryOf(t: TFunction, fields: ReturnType<typeof shownFields>): string {
  const [first] = fields;
  if (first === undefined || fields.length > 1) return "";
  const { name, before, after } = first;
  if (before === undefined || after === undefined) return "";
  return ` · ${fieldName(t, name)}: ${valueText(t, before)} → ${valueText(t, after)}`;
}
