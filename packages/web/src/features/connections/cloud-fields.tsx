import type { Connection } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import classes from "./connection-dialog.module.css";
import type { ConnectionValues } from "./connection-values.ts";
import { WebhookFields } from "./webhook-fields.tsx";

type Props = {
  form: UseFormReturn<ConnectionValues>;
  /** Null: there are no credentials yet, so that none can be left out. */
  cloudApi: Connection["cloudApi"];
};

const ID_MAX = 50;
const SECRET_MAX = 1_000;

/** What Meta gave to the company, and what the company has to give to Meta. */
export function CloudFields({ form, cloudApi }: Props): ReactNode {
  const { t } = useTranslation();
  const { register } = form;
  const { errors } = form.formState;
  const isKnown = cloudApi !== null;
  const id = (name: "phoneNumberId" | "businessAccountId"): ReactNode => (
    <TextInput
      {...register(name, {
        validate: (value) => {
          if (value.trim() === "") return t("connections.cloud.required");
          return /^\d+$/.test(value.trim()) || t("connections.cloud.digits");
        },
      })}
      label={t(`connections.cloud.${name}`)}
      error={errors[name]?.message}
      inputMode="numeric"
      maxLength={ID_MAX}
      autoComplete="off"
    />
  );
  const secret = (name: "accessToken" | "appSecret"): ReactNode => (
    <TextInput
      {...register(name, {
        validate: (value) => isKnown || value.trim() !== "" || t("connections.cloud.required"),
      })}
      type="password"
      label={t(`connections.cloud.${name}`)}
      description={isKnown ? t("connections.cloud.keepSecret") : undefined}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={errors[name]?.message}
      maxLength={SECRET_MAX}
      autoComplete="new-password"
    />
  );
  return (
    <FieldGroup legend={t("connections.cloud.title")}>
      <div className={classes["pair"]}>
        {id("phoneNumberId")}
        {id("businessAccountId")}
        {secret("accessToken")}
        {secret("appSecret")}
      </div>
      <TextInput
        {...register("verifyToken")}
        label={t("connections.cloud.verifyToken")}
        description={t(
          isKnown ? "connections.cloud.keepSecret" : "connections.cloud.verifyTokenHelp",
        )}
        inputWrapperOrder={["label", "input", "description", "error"]}
        maxLength={SECRET_MAX}
        autoComplete="off"
        spellCheck={false}
      />
      {isKnown ? <WebhookFields cloudApi={cloudApi} /> : null}
    </FieldGroup>
  );
}
