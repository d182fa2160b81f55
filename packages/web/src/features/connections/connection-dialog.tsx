import "@mantine/core/styles/Tabs.layer.css";
import type { Connection } from "@balcao/contract";
import { Tabs } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { flushSync } from "react-dom";
import type { FieldErrors } from "react-hook-form";
import { useForm } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { saveConnection } from "./api.ts";
import { AutomationFields } from "./automation-fields.tsx";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues, FormTab } from "./connection-values.ts";
import { changeOf, fieldOfError, formTabs, tabOf, valuesOf } from "./connection-values.ts";
import { GeneralFields } from "./general-fields.tsx";
import { MessageFields } from "./message-fields.tsx";

type Props = {
  /** Null: a new one. */
  connection: Connection | null;
  onSaved: (saved: Connection) => void;
  onClose: () => void;
};

/** Everything that is set of a connection. A wrong field shows its tab and gets the focus. */
export function ConnectionDialog({ connection, onSaved, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const [tab, setTab] = useState<FormTab>("general");
  const form = useForm<ConnectionValues>({
    defaultValues: valuesOf(connection),
    shouldFocusError: false,
  });

  function show(field: keyof ConnectionValues): void {
    // A hidden field takes no focus.
    flushSync(() => setTab(tabOf(field)));
    form.setFocus(field);
  }

  const save = useMutation({
    mutationFn: (values: ConnectionValues) =>
      saveConnection(connection?.id ?? null, changeOf(values)),
    onSuccess: (saved) => {
      notifySuccess(t("connections.saved"));
      onSaved(saved);
    },
    onError: (error) => {
      const field = error instanceof ApiError ? fieldOfError(error.code) : null;
      if (field === null) return;
      form.setError(field, { message: errorText(t, error) });
      show(field);
    },
  });

  function onInvalid(errors: FieldErrors<ConnectionValues>): void {
    const fields = Object.keys(form.getValues()) as (keyof ConnectionValues)[]; // the form's own keys
    const first = fields.find((field) => errors[field] !== undefined);
    if (first !== undefined) show(first);
  }

  const isNew = connection === null;
  return (
    <FormDialog
      size={640}
      title={
        isNew
          ? t("connections.form.newTitle")
          : t("connections.form.editTitle", { name: connection.name })
      }
      submitLabel={t("common.save")}
      isBusy={save.isPending}
      error={save.error === null ? null : errorText(t, save.error)}
      onSubmit={(event) =>
        void form.handleSubmit((values) => save.mutate(values), onInvalid)(event)
      }
      onClose={onClose}
    >
      <Tabs
        value={tab}
        onChange={(next) => setTab(formTabs.find((one) => one === next) ?? "general")}
      >
        <Tabs.List>
          {formTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`connections.form.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="general" className={classes["panel"] ?? ""}>
          <GeneralFields form={form} connection={connection} />
        </Tabs.Panel>
        <Tabs.Panel value="messages" className={classes["panel"] ?? ""}>
          <MessageFields form={form} />
        </Tabs.Panel>
        <Tabs.Panel value="automation" className={classes["panel"] ?? ""}>
          <AutomationFields form={form} />
        </Tabs.Panel>
      </Tabs>
    </FormDialog>
  );
}
