import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import type { NewContactFields } from "./create-ticket.ts";
import classes from "./dialog.module.css";
import type { FormProblems } from "./use-new-ticket-form.ts";

type Props = {
  fields: NewContactFields;
  problems: FormProblems;
  /** Why the server did not store it. */
  refusal: Error | null;
  onChange: (fields: NewContactFields) => void;
  onBack: () => void;
};

/** Somebody who is no contact yet. */
export function ContactFields({ fields, problems, refusal, onChange, onBack }: Props): ReactNode {
  const { t } = useTranslation();
  const isAboutNumber =
    hasCode(refusal, "ERR_WAPP_INVALID_CONTACT") || hasCode(refusal, "ERR_NUMBER_FORMAT");
  const numberRefusal = isAboutNumber ? errorText(t, refusal) : undefined;
  const numberError = problems.number ? t("tickets.new.numberShort") : numberRefusal;
  return (
    <>
      <button type="button" className={classes["back"]} onClick={onBack}>
        {t("tickets.new.back")}
      </button>
      <TextInput
        name="name"
        label={t("tickets.new.name")}
        value={fields.name}
        onChange={(event) => onChange({ ...fields, name: event.currentTarget.value })}
        error={problems.name ? t("tickets.new.nameShort") : undefined}
        maxLength={limits.nameMax}
        autoComplete="off"
        required
        data-autofocus
      />
      <TextInput
        name="number"
        type="tel"
        label={t("tickets.new.number")}
        description={numberError === undefined ? t("tickets.new.numberHelp") : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={fields.number}
        onChange={(event) => onChange({ ...fields, number: event.currentTarget.value })}
        error={numberError}
        maxLength={limits.numberMax}
        autoComplete="off"
        required
      />
      <TextInput
        name="email"
        type="email"
        label={t("tickets.new.email")}
        value={fields.email}
        onChange={(event) => onChange({ ...fields, email: event.currentTarget.value })}
        error={problems.email ? t("tickets.new.emailForm") : undefined}
        maxLength={limits.emailMax}
        autoComplete="off"
      />
      {refusal !== null && !isAboutNumber ? (
        <p className={classes["failure"]} role="alert">
          {errorText(t, refusal)}
        </p>
      ) : null}
    </>
  );
}
