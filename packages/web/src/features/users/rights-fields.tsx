import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { profiles } from "@balcao/contract/permissions";
import { NativeSelect, Switch } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { QueueChoice } from "../../ui/queue-choice.tsx";
import { useConnections } from "../connections/index.ts";
import { useQueues } from "./api.ts";
import classes from "./user-form.module.css";
import type { UserValues } from "./user-values.ts";

type Props = { form: UseFormReturn<UserValues>; isNew: boolean };

/** What admins decide of a user: profile, queues, what he sees, and by what he writes. */
export function RightsFields({ form, isNew }: Props): ReactNode {
  const { t } = useTranslation();
  const { control } = form;
  const queues = useQueues();
  return (
    <>
      <div className={classes["pair"]}>
        <ProfileField form={form} isNew={isNew} />
        <ConnectionField form={form} />
      </div>
      <Controller
        control={control}
        name="queueIds"
        render={({ field: { value, onChange } }) => (
          <QueueChoice
            legend={t("users.queues")}
            help={t(queues?.length === 0 ? "users.noQueues" : "users.queuesHelp")}
            queues={queues}
            value={value}
            onChange={onChange}
          />
        )}
      />
      <Controller
        control={control}
        name="seesNoQueue"
        render={({ field: { value, onChange, ref } }) => (
          <Switch
            ref={ref}
            checked={value}
            onChange={(event) => onChange(event.currentTarget.checked)}
            label={t("users.allTicket")}
            description={t("users.allTicketHelp")}
          />
        )}
      />
    </>
  );
}

const chevron = <IconChevronDown size={15} stroke={1.7} aria-hidden="true" />;

function ProfileField({ form, isNew }: Props): ReactNode {
  const { t } = useTranslation();
  const profile = useWatch({ control: form.control, name: "profile" });
  const isOther = !isNew && form.formState.dirtyFields.profile === true;
  return (
    <NativeSelect
      {...form.register("profile")}
      label={t("users.profile")}
      description={`${t(`users.profileHelp.${profile}`)}${isOther ? ` ${t("users.signsInAgain")}` : ""}`}
      inputWrapperOrder={["label", "input", "description", "error"]}
      rightSection={chevron}
      data={profiles.map((value) => ({ value, label: t(`shell.profiles.${value}`) }))}
    />
  );
}

function ConnectionField({ form }: { form: UseFormReturn<UserValues> }): ReactNode {
  const { t } = useTranslation();
  const connections = useConnections();
  return (
    <Controller
      control={form.control}
      name="whatsappId"
      render={({ field }) => (
        <NativeSelect
          {...field}
          label={t("users.connection")}
          description={t("users.connectionHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          rightSection={chevron}
          data={[
            { value: "", label: t("users.noConnection") },
            ...connections.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    />
  );
}
