import type { MessageTemplate } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { randomUuid } from "../../api/random-uuid.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { postApprovedTemplate } from "../messages/index.ts";
import classes from "./template-dialog.module.css";
import { TemplatePreview } from "./template-preview.tsx";
import type { TemplateField } from "./template-text.ts";
import {
  buttonOfEachPlace,
  emptyValues,
  firstBlank,
  placesOf,
  sendBodyOf,
  withValue,
} from "./template-text.ts";

type Props = {
  ticketId: number;
  template: MessageTemplate;
  onBack: () => void;
  onSent: () => void;
};

/** One field per place, with the message as the customer will read it. */
export function TemplateForm({ ticketId, template, onBack, onSent }: Props): ReactNode {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => emptyValues(template));
  const [isChecked, setChecked] = useState(false);
  // The same message however often sending is tried.
  const [clientId] = useState(randomUuid);
  const formRef = useRef<HTMLFormElement>(null);
  const send = useMutation({
    mutationFn: () => postApprovedTemplate(ticketId, sendBodyOf(template, values, clientId)),
    onSuccess: () => {
      notifySuccess(t("templates.sent"));
      onSent();
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    // A form of a dialog over the composer's page is still inside it for React.
    event.stopPropagation();
    const blank = firstBlank(values);
    setChecked(true);
    if (blank === null) send.mutate();
    else formRef.current?.querySelector<HTMLElement>(`[name="${fieldName(blank)}"]`)?.focus();
  }

  const buttons = buttonOfEachPlace(template);
  const labels = {
    header: placesOf(template.header?.text ?? ""),
    body: placesOf(template.body),
  };
  function labelOf({ part, index }: TemplateField): string {
    if (part === "button") return t("templates.buttonPlace", { button: buttons[index] ?? "" });
    const name = labels[part][index];
    if (part === "header" && name === undefined) return t("templates.headerFile");
    return t(part === "header" ? "templates.headerPlace" : "templates.bodyPlace", {
      place: name ?? String(index + 1),
    });
  }

  const fields = (["header", "body", "button"] as const).flatMap((part) =>
    values[part].map((value, index) => ({ part, index, value })),
  );
  return (
    <form ref={formRef} noValidate className={classes["form"]} onSubmit={submit}>
      <TemplatePreview template={template} values={values} />
      {fields.map(({ value, ...field }, position) => (
        <TextInput
          key={fieldName(field)}
          name={fieldName(field)}
          label={labelOf(field)}
          value={value}
          onChange={(event) => setValues(withValue(values, field, event.currentTarget.value))}
          error={isChecked && value.trim() === "" ? t("templates.required") : undefined}
          maxLength={limits.templateParameterMax}
          autoComplete="off"
          autoFocus={position === 0}
        />
      ))}
      {send.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, send.error)}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onBack}>
          {t("templates.back")}
        </Button>
        <Button type="submit" loading={send.isPending} autoFocus={fields.length === 0}>
          {t("templates.send")}
        </Button>
      </div>
    </form>
  );
}

function fieldName({ part, index }: TemplateField): string {
  return `${part}-${index}`;
}
