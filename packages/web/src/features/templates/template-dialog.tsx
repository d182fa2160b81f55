import type { MessageTemplate, RequestOf } from "@balcao/contract";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { TextInput } from "@mantine/core";
import { IconPaperclip, IconSearch, IconTemplate } from "@tabler/icons-react";
import { EmptyState, errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import classes from "./template-dialog.module.css";
import { limits } from "@balcao/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { randomUuid } from "../../api/random-uuid.ts";
import { Bubble, FormattedText, postApprovedTemplate } from "../messages/index.ts";
import { Button } from "../../ui/button.tsx";
import { call } from "../../api/client.ts";

type TemplateDialogProps = {
  ticketId: number;
  connectionId: number;
  customerName: string;
  onClose: () => void;
};

/** Chooses an approved template, fills its parameters and sends it. Mounting opens it. */
export function TemplateDialog({
  ticketId,
  connectionId,
  customerName,
  onClose,
}: TemplateDialogProps): ReactNode {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<MessageTemplate | null>(null);
  return (
    <DialogFrame
      opened
      size={640}
      onClose={onClose}
      title={t("templates.title", { name: customerName })}
    >
      {chosen === null ? (
        <TemplateList connectionId={connectionId} onChoose={setChosen} />
      ) : (
        <TemplateForm
          ticketId={ticketId}
          template={chosen}
          onBack={() => setChosen(null)}
          onSent={onClose}
        />
      )}
    </DialogFrame>
  );
}

type TemplateListProps = { connectionId: number; onChoose: (template: MessageTemplate) => void };

/** All approved templates with a search. */
function TemplateList({ connectionId, onChoose }: TemplateListProps): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const { data: templates, error, refetch } = useTemplates(connectionId);
  if (templates === undefined && error !== null) {
    return <LoadFailed icon={IconTemplate} error={error} onRetry={() => void refetch()} />;
  }
  if (templates === undefined) return <ListSkeleton rows={3} />;
  if (templates.length === 0) {
    return (
      <EmptyState
        icon={IconTemplate}
        title={t("templates.emptyTitle")}
        text={t("templates.emptyText")}
      />
    );
  }
  const found = templates.filter((template) => matches(searchedText(template), words));
  return (
    <div className={classes["picker"]}>
      <TextInput
        type="search"
        aria-label={t("templates.search")}
        placeholder={t("templates.search")}
        leftSection={<IconSearch size={15} stroke={1.7} aria-hidden="true" />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        data-autofocus
      />
      {found.length === 0 ? (
        <p className="bc-small" role="status">
          {t("templates.noMatch", { words })}
        </p>
      ) : (
        <ul className={classes["list"]} aria-label={t("templates.list")}>
          {found.map((template) => (
            <li key={`${template.name} ${template.language}`}>
              <button
                type="button"
                className={classes["option"]}
                onClick={() => onChoose(template)}
              >
                <span className={classes["name"]}>
                  {template.name}
                  <span className="bc-meta">{template.language}</span>
                </span>
                <span className="bc-ellipsis bc-small">{template.body}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type TemplateFormProps = {
  ticketId: number;
  template: MessageTemplate;
  onBack: () => void;
  onSent: () => void;
};

/** One field per parameter, with a preview of the message. */
function TemplateForm({ ticketId, template, onBack, onSent }: TemplateFormProps): ReactNode {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => emptyValues(template));
  const [isChecked, setChecked] = useState(false);
  // One id for all tries, so that a retry sends no second message.
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
    // In React's tree the dialog is inside the composer's form.
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
    <form ref={formRef} noValidate className="bc-form" onSubmit={submit}>
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
        <p className="bc-failure" role="alert">
          {errorText(t, send.error)}
        </p>
      )}
      <div className="bc-actions">
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

type Props = { template: MessageTemplate; values: TemplateValues };

/** A preview of the message; parameters without a value stay unchanged. */
function TemplatePreview({ template, values }: Props): ReactNode {
  const { t } = useTranslation();
  const { header, body, footer, buttons } = template;
  return (
    <section className={classes["preview"]} aria-label={t("templates.preview")}>
      <Bubble
        isOwn
        endsGroup
        text={
          <>
            <FormattedText text={fill(body, values.body)} />
            {footer === null ? null : <p className="bc-detail">{footer}</p>}
          </>
        }
      >
        {header === null ? null : (
          <p className={classes["header"]}>
            {header.format === "TEXT" ? (
              fill(header.text, values.header)
            ) : (
              <>
                <IconPaperclip size={15} stroke={1.7} aria-hidden="true" /> {header.format}
              </>
            )}
          </p>
        )}
      </Bubble>
      {buttons.length === 0 ? null : (
        <ul className={classes["buttons"]}>
          {buttons.map(({ text }) => (
            <li key={text} className={classes["button"]}>
              {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** A parameter: its position and its value. */
type TemplateField = { part: "header" | "body" | "button"; index: number };

type TemplateValues = Readonly<Record<TemplateField["part"], readonly string[]>>;

/** The names of a text's parameters in order of first appearance, each once. */
export function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACE), ([, name = ""]) => name))];
}

/** The text with its parameters replaced; one without a value stays unchanged. */
export function fill(text: string, values: readonly string[]): string {
  const places = placesOf(text);
  return text.replaceAll(PLACE, (place, name: string) => {
    const value = values[places.indexOf(name)]?.trim() ?? "";
    return value === "" ? place : value;
  });
}

/** Empty values for every parameter of the template. */
export function emptyValues(template: MessageTemplate): TemplateValues {
  const blanks = (count: number): string[] => Array.from({ length: count }, () => "");
  return {
    header: blanks(template.header?.parameters ?? 0),
    body: blanks(template.bodyParameters),
    button: blanks(template.buttons.reduce((sum, { parameters }) => sum + parameters, 0)),
  };
}

export function withValue(
  values: TemplateValues,
  { part, index }: TemplateField,
  value: string,
): TemplateValues {
  return { ...values, [part]: values[part].with(index, value) };
}

/** The first parameter without a value; null if all have one. */
export function firstBlank(values: TemplateValues): TemplateField | null {
  for (const part of ["header", "body", "button"] as const) {
    const index = values[part].findIndex((value) => value.trim() === "");
    if (index !== -1) return { part, index };
  }
  return null;
}

/** The request body. */
export function sendBodyOf(
  template: MessageTemplate,
  values: TemplateValues,
  clientId: string,
): RequestOf<"POST /messages/:ticketId/template">["body"] {
  return {
    name: template.name,
    language: template.language,
    headerParameters: [...values.header],
    bodyParameters: [...values.body],
    buttonParameters: [...values.button],
    clientId,
  };
}

/** The name of a button for each of the button parameters, in their order. */
export function buttonOfEachPlace(template: MessageTemplate): string[] {
  return template.buttons.flatMap(({ text, parameters }) =>
    Array.from({ length: parameters }, () => text),
  );
}

/** The text that a search over templates reads. */
export function searchedText({ name, body, header }: MessageTemplate): string {
  return `${name} ${body} ${header?.text ?? ""}`;
}

/** The templates that Meta has approved for a connection. */
function useTemplates(connectionId: number) {
  return useQuery({
    queryKey: ["templates", connectionId],
    queryFn: async ({ signal }): Promise<MessageTemplate[]> => {
      const params = { connectionId };
      return (await call("GET /whatsapp/:connectionId/templates", { params }, { signal }))
        .templates;
    },
    meta: { live: false },
  });
}
