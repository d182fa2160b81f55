import type { SimulatorContent } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";

/** Contents that are asked for with a form. */
export type ContentKind = "location" | "contacts" | "poll" | "ad" | "other";

type Props = {
  kind: ContentKind;
  /** `body` is the text beside it; "" for none. */
  onSend: (content: SimulatorContent, body: string) => void;
  onClose: () => void;
};

type FieldName =
  | "latitude"
  | "longitude"
  | "place"
  | "name"
  | "phone"
  | "question"
  | "options"
  | "adTitle"
  | "adText"
  | "adUrl"
  | "text"
  | "type";

const fieldsOf: Readonly<Record<ContentKind, readonly FieldName[]>> = {
  location: ["place", "latitude", "longitude"],
  contacts: ["name", "phone"],
  poll: ["question", "options"],
  ad: ["adTitle", "adText", "adUrl", "text"],
  other: ["type", "text"],
};

const numbers: ReadonlySet<FieldName> = new Set(["latitude", "longitude"]);

/** A place, contact, poll, advertisement or something rare, filled in with an example that can be sent as it is. */
export function ContentDialog({ kind, onSend, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, handleSubmit, formState } = useForm<Record<FieldName, string>>({
    defaultValues: {
      latitude: "-8.0631",
      longitude: "-34.8711",
      place: "Marco Zero",
      name: "Paulo Souza",
      phone: "+55 81 98811-2233",
      question: t("simulator.examples.question"),
      options: t("simulator.examples.options"),
      adTitle: t("simulator.examples.adTitle"),
      adText: t("simulator.examples.adText"),
      adUrl: "https://exemplo.com.br/promo",
      text: t("simulator.examples.text"),
      type: "productMessage",
    },
  });
  return (
    <FormDialog
      title={t(`simulator.contents.${kind}`)}
      submitLabel={t("simulator.send")}
      isBusy={false}
      error={null}
      onSubmit={(event) =>
        void handleSubmit((values) => {
          onSend(contentOf(kind, values), kind === "ad" ? values.text : "");
          onClose();
        })(event)
      }
      onClose={onClose}
    >
      {fieldsOf[kind].map((field) => (
        <TextInput
          key={field}
          {...register(field, {
            validate: (value) => isFine(field, value) || t("simulator.fieldWrong"),
          })}
          label={t(`simulator.fields.${field}`)}
          error={formState.errors[field]?.message}
          autoComplete="off"
        />
      ))}
    </FormDialog>
  );
}

function isFine(field: FieldName, value: string): boolean {
  if (numbers.has(field)) return value.trim() !== "" && Math.abs(Number(value)) <= 180;
  if (field === "options") return optionsOf(value).length >= 2;
  return value.trim() !== "";
}

function contentOf(kind: ContentKind, values: Record<FieldName, string>): SimulatorContent {
  switch (kind) {
    case "location":
      return {
        kind,
        latitude: Number(values.latitude),
        longitude: Number(values.longitude),
        name: values.place,
      };
    case "contacts":
      return { kind, contacts: [{ name: values.name, phones: [values.phone] }] };
    case "poll":
      return { kind, question: values.question, options: optionsOf(values.options) };
    case "ad":
      return { kind, title: values.adTitle, body: values.adText, sourceUrl: values.adUrl };
    case "other":
      return { kind, type: values.type, text: values.text };
  }
}

/** Written beside each other, with commas between them. */
function optionsOf(text: string): string[] {
  return [...new Set(text.split(",").map((option) => option.trim()))].filter(Boolean);
}
