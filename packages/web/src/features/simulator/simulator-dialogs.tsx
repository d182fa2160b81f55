import type { SimulatorChat, SimulatorContent } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { errorText } from "../../ui/index.ts";
import { parsePhone, useAddChat } from "./api.ts";

type ChatProps = {
  kind: "customer" | "group";
  connectionId: number;
  onAdded: (added: SimulatorChat) => void;
  onClose: () => void;
};

/** Adds a customer or a group of customers. Without a phone the simulated network chooses a free one. */
export function NewChatDialog({ kind, connectionId, onAdded, onClose }: ChatProps): ReactNode {
  const { t } = useTranslation();
  const isGroup = kind === "group";
  const add = useAddChat(connectionId);
  const { register, handleSubmit, formState } = useForm({
    defaultValues: { name: "", phone: "", members: t("simulator.examples.members") },
  });
  const { errors } = formState;
  const submit = handleSubmit(({ name, phone, members }) => {
    const digits = parsePhone(phone);
    const chat = isGroup
      ? { name: name.trim(), members: membersOf(members) }
      : { name: name.trim(), ...(digits === null ? {} : { phone: digits }) };
    add.mutate(chat, {
      onSuccess: (added) => {
        onAdded(added);
        onClose();
      },
    });
  });
  return (
    <FormDialog
      title={t(isGroup ? "simulator.newGroup" : "simulator.newCustomer")}
      submitLabel={t(isGroup ? "simulator.createGroup" : "simulator.create")}
      isBusy={add.isPending}
      error={add.error === null ? null : errorText(t, add.error)}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <NameField
        {...register("name", nameRule(t("simulator.nameRequired")))}
        label={t(isGroup ? "simulator.groupName" : "simulator.name")}
        error={errors.name?.message}
      />
      {isGroup ? (
        <TextInput
          {...register("members", {
            validate: (value) => membersOf(value).length > 0 || t("simulator.nameRequired"),
          })}
          label={t("simulator.members")}
          error={errors.members?.message}
          autoComplete="off"
        />
      ) : (
        <TextInput
          {...register("phone", {
            validate: (value) =>
              value.trim() === "" || parsePhone(value) !== null || t("simulator.phoneInvalid"),
          })}
          type="tel"
          label={t("simulator.phone")}
          description={errors.phone ? undefined : t("simulator.phoneHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          error={errors.phone?.message}
          placeholder="+55 11 98456-2210"
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}

function membersOf(text: string): { name: string }[] {
  return listOf(text).map((name) => ({ name: name.slice(0, limits.nameMax) }));
}

/** Contents that the customer enters in a form. */
export type ContentKind = "location" | "contacts" | "poll" | "ad" | "other";

type ContentProps = {
  kind: ContentKind;
  /** `body` is the text of the message; "" for none. */
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

/** The form of a location, contact, poll, advertisement or rare kind, filled in with an example. */
export function ContentDialog({ kind, onSend, onClose }: ContentProps): ReactNode {
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
  if (field === "options") return listOf(value).length >= 2;
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
      return { kind, question: values.question, options: listOf(values.options) };
    case "ad":
      return { kind, title: values.adTitle, body: values.adText, sourceUrl: values.adUrl };
    case "other":
      return { kind, type: values.type, text: values.text };
  }
}

/** The entries of a list separated by commas, each once. */
function listOf(text: string): string[] {
  return [...new Set(text.split(",").map((entry) => entry.trim()))].filter(Boolean);
}
