import { IconFileText } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { maskOf, rowsOf, useOpenApi, useTokens, useTrial } from "./api.ts";
import classes from "./api.module.css";
import type { DocumentedCall, Field } from "./open-api.ts";
import { callsOf, sampleOf } from "./open-api.ts";
import { Code, PLACEHOLDER, useChosenToken, useWholeToken } from "./trial.tsx";

/** Every call for other programs, from the OpenAPI document, with the user's own token and number in the examples. */
export function ReferenceTab(): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useOpenApi();
  if (data === undefined) {
    if (!error) return <ListSkeleton rows={6} />;
    return <LoadFailed icon={IconFileText} error={error} onRetry={() => void refetch()} />;
  }
  const calls = callsOf(data);
  if (calls.length === 0) return <EmptyState icon={IconFileText} title={t("api.reference.none")} />;
  return (
    <div className={classes["reference"]}>
      <p className="bc-small">{t("api.reference.lead")}</p>
      {calls.map((call) => (
        <Call key={call.id} call={call} />
      ))}
    </div>
  );
}

function Call({ call }: { call: DocumentedCall }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { method, path, summary } = call;
  return (
    <details className={classes["call"]} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes["callHead"]}>
        <span className={classes["method"]} data-method={method}>
          {method}
        </span>
        <code className={classes["path"]}>{path}</code>
        <span className={classes["summary"]}>{summary.replaceAll("`", "")}</span>
      </summary>
      {isOpen ? <CallDetails call={call} /> : null}
    </details>
  );
}

function CallDetails({ call }: { call: DocumentedCall }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const trial = useTrial();
  const { data } = useTokens();
  const row = useChosenToken(rowsOf(data));
  const isLegacy = call.path.endsWith("/messages/send");
  const fits = row !== null && (row.kind === "legacy") === isLegacy;
  const whole = useWholeToken(fits ? row : null);
  const { description, parameters, body, reply, replyStatus, refusals } = call;
  return (
    <div className={classes["callBody"]}>
      <div className={classes["callTexts"]}>
        {description === "" ? null : <p className="bc-small">{description.replaceAll("`", "")}</p>}
        <Fields title={t("api.reference.parameters")} fields={parameters} />
        <Fields title={t("api.reference.body")} fields={body} />
        <Fields title={t("api.reference.reply", { status: replyStatus })} fields={reply} isReply />
        {refusals === "" ? null : (
          <>
            <h2 className={classes["habitsTitle"]}>{t("api.reference.refusals")}</h2>
            <p className={classes["refusals"]}>{refusals}</p>
          </>
        )}
      </div>
      <div className={classes["card"]}>
        <span id={id} className="bc-hidden-text">
          {t("api.code.title")}
        </span>
        <Code
          request={sampleOf(call, trial)}
          mask={fits ? maskOf(row) : PLACEHOLDER}
          token={whole}
          labelledBy={id}
        />
      </div>
    </div>
  );
}

type FieldsProps = {
  title: string;
  fields: readonly Field[];
  /** All of them are there, so none is marked as required. */
  isReply?: boolean;
};

function Fields({ title, fields, isReply = false }: FieldsProps): ReactNode {
  const { t } = useTranslation();
  if (fields.length === 0) return null;
  return (
    <>
      <h2 className={classes["habitsTitle"]}>{title}</h2>
      <dl className={classes["fields"]}>
        {fields.map(({ name, type, isRequired, text }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <span className={classes["type"]}>{type}</span>
              {isRequired && !isReply ? (
                <span className="bc-label">{t("api.reference.required")}</span>
              ) : null}
              {text === "" ? null : <span className={classes["fieldText"]}>{text}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
