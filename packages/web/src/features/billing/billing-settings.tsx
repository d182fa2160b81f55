import type { BankKind, BillingSettings } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, TextInput } from "@mantine/core";
import { IconCertificate, IconReceipt } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useForm, useWatch } from "react-hook-form";
import { ApiError, call, hasCode } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { formatDate } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { Button } from "../../ui/button.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import classes from "./billing.module.css";

const settingsKey = ["billing", "settings"];
const bankKinds: readonly BankKind[] = ["simulated", "by-hand", "efi", "asaas"];

/** Where companies pay the provider. */
export function SettingsCard(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => call("GET /billing/settings", {}, { signal }),
    meta: { live: false },
  });
  if (data !== undefined) return <SettingsForm settings={data} />;
  if (error === null) return <ListSkeleton />;
  return <LoadFailed icon={IconReceipt} error={error} onRetry={() => void refetch()} />;
}

const RECEIVER_MAX = 25;
const CITY_MAX = 15;
const PIX_KEY_MAX = 77;
/** The server decides; this finds what is missing while one types. */
const EMAIL_FORM = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Banks with an API, and what they are called in the settings. */
type ApiBank = "efi" | "asaas";
const isApiBank = (bank: BankKind): bank is ApiBank => bank === "efi" || bank === "asaas";

type Values = Pick<BillingSettings, "bank" | "receiver" | "city" | "pixKey" | "contact"> & {
  clientId: string;
  clientSecret: string;
  passphrase: string;
  apiKey: string;
  sandbox: boolean;
};

const noAccess = { clientId: "", clientSecret: "", passphrase: "", apiKey: "", sandbox: false };

const valuesOf = ({ bank, receiver, city, pixKey, contact }: BillingSettings): Values => ({
  ...{ bank, receiver, city, pixKey, contact, ...noAccess },
});

function SettingsForm({ settings }: { settings: BillingSettings }): ReactNode {
  const { t } = useTranslation();
  const form = useForm<Values>({ defaultValues: valuesOf(settings) });
  const { register, control, handleSubmit, formState, reset, setError } = form;
  const { errors } = formState;
  const bank = useWatch({ control, name: "bank" });
  // Secrets are not shown: those that are stored are kept or given again as a whole.
  const [isChanging, setChanging] = useState(false);
  const needsAccess = isApiBank(bank) && (isChanging || settings[bank] === null);
  const [certificate, setCertificate] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const saving = useMutation({
    mutationFn: async (values: Values) => {
      const encoded = certificate === null ? "" : await base64Of(certificate);
      const body = bodyOf(values, needsAccess, encoded);
      return await call("PUT /billing/settings", { body });
    },
    onSuccess: (saved) => {
      queryClient.setQueryData(settingsKey, saved);
      reset(valuesOf(saved));
      setChanging(false);
      setCertificate(null);
      notifySuccess(t("billing.saved"));
    },
    onError: (error) => {
      if (hasCode(error, "ERR_PIX_KEY_MISSING")) {
        setError("pixKey", { message: t("billing.pixKeyMissing") }, { shouldFocus: true });
      }
      if (hasCode(error, "ERR_BANK_CERTIFICATE")) setFault(certificateWords(t, error));
    },
  });
  const isAtField = ["ERR_PIX_KEY_MISSING", "ERR_BANK_CERTIFICATE"] as const;
  const failure = isAtField.some((code) => hasCode(saving.error, code)) ? null : saving.error;

  function checkCertificate(): boolean {
    const isNeeded = needsAccess && bank === "efi";
    const isTooLarge = certificate !== null && certificate.size > CERTIFICATE_MAX_BYTES;
    const found = isTooLarge ? t("billing.certificateTooLarge") : t("billing.missing");
    const isFine = !isNeeded || (certificate !== null && !isTooLarge);
    setFault(isFine ? null : found);
    return isFine;
  }

  return (
    <form
      noValidate
      className={classes["form"]}
      onSubmit={(event) => {
        const hasCertificate = checkCertificate();
        void handleSubmit((values) => {
          if (hasCertificate) saving.mutate(values);
        })(event);
      }}
    >
      <Controller
        control={control}
        name="bank"
        render={({ field }) => (
          <NativeSelect
            {...field}
            label={t("billing.bank")}
            description={t(`billing.bankHelp.${bank}`)}
            data={bankKinds.map((value) => ({ value, label: t(`billing.banks.${value}`) }))}
          />
        )}
      />
      <div className={classes["fields"]}>
        <TextInput
          {...register("receiver")}
          label={t("billing.receiver")}
          description={t("billing.receiverHelp")}
          maxLength={RECEIVER_MAX}
          autoComplete="off"
        />
        <TextInput
          {...register("city")}
          label={t("billing.city")}
          maxLength={CITY_MAX}
          autoComplete="off"
        />
        <TextInput
          {...register("pixKey", {
            validate: (key, { bank: chosen }) =>
              chosen !== "by-hand" || key.trim() !== "" || t("billing.pixKeyMissing"),
          })}
          label={t("billing.pixKey")}
          error={errors.pixKey?.message}
          maxLength={PIX_KEY_MAX}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput
          {...register("contact", {
            validate: (email) =>
              email.trim() === "" || EMAIL_FORM.test(email.trim()) || t("billing.contactInvalid"),
          })}
          type="email"
          label={t("billing.contact")}
          description={errors.contact ? undefined : t("billing.contactHelp")}
          error={errors.contact?.message}
          maxLength={limits.emailMax}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </div>
      {isApiBank(bank) && settings[bank] !== null ? (
        <p className="bc-small">
          {accessWords(t, settings, bank)}{" "}
          <button
            type="button"
            className={classes["change"]}
            onClick={() => setChanging(!isChanging)}
          >
            {t(isChanging ? "billing.keepAccess" : "billing.changeAccess")}
          </button>
        </p>
      ) : null}
      {needsAccess && bank === "efi" ? (
        <>
          <div className={classes["fields"]}>
            <AccessField form={form} name="clientId" />
            <AccessField form={form} name="clientSecret" />
            <CertificateField
              file={certificate}
              fault={fault}
              onChange={(file) => {
                setCertificate(file);
                setFault(null);
              }}
            />
            <PasswordField
              {...register("passphrase")}
              label={t("billing.passphrase")}
              description={t("billing.passphraseHelp")}
              maxLength={ACCESS_MAX}
            />
          </div>
          <SwitchField control={control} name="sandbox" label={t("billing.sandbox")} />
        </>
      ) : null}
      {needsAccess && bank === "asaas" ? (
        <>
          <AccessField form={form} name="apiKey" />
          <SwitchField control={control} name="sandbox" label={t("billing.sandbox")} />
        </>
      ) : null}
      {failure === null ? null : (
        <p className="bc-failure" role="alert">
          {bankErrorText(t, failure)}
        </p>
      )}
      <div className={classes["save"]}>
        {isApiBank(settings.bank) && bank === settings.bank ? <BankTest /> : null}
        <Button type="submit" loading={saving.isPending}>
          {t("common.save")}
        </Button>
      </div>
    </form>
  );
}

type AccessName = "clientId" | "clientSecret" | "apiKey";
const ACCESS_MAX = 200;
const API_KEY_MAX = 500;

type AccessProps = { form: UseFormReturn<Values>; name: AccessName };

/** Needed where it stands. */
function AccessField({ form, name }: AccessProps): ReactNode {
  const { t } = useTranslation();
  const Field = name === "clientId" ? TextInput : PasswordField;
  return (
    <Field
      {...form.register(name, {
        shouldUnregister: true,
        validate: (value) => value.trim() !== "" || t("billing.missing"),
      })}
      label={t(`billing.${name}`)}
      error={form.formState.errors[name]?.message}
      maxLength={name === "apiKey" ? API_KEY_MAX : ACCESS_MAX}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}

/** Base64 makes four letters of three bytes; the server takes 40,000 letters. */
const CERTIFICATE_MAX_BYTES = 30_000;

type CertificateProps = {
  file: File | null;
  fault: string | null;
  onChange: (file: File | null) => void;
};

function CertificateField({ file, fault, onChange }: CertificateProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["certificate"]}>
      <span className={classes["label"]}>{t("billing.certificate")}</span>
      <AttachmentField
        known={null}
        change={file === null ? { kind: "keep" } : { kind: "attach", file }}
        onChange={(change) => onChange(change.kind === "attach" ? change.file : null)}
        icon={IconCertificate}
        attachLabel={t("billing.chooseCertificate")}
        detachLabel={(name) => t("billing.removeCertificate", { name })}
        accept=".p12,.pfx,.pem"
      />
      {fault === null ? null : (
        <p className="bc-failure" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function bodyOf(values: Values, needsAccess: boolean, certificate: string) {
  const { bank, receiver, city, pixKey, contact, sandbox } = values;
  const { clientId, clientSecret, passphrase, apiKey } = values;
  return {
    ...{ bank, receiver: receiver.trim(), city: city.trim(), pixKey: pixKey.trim() },
    contact: contact.trim(),
    ...(needsAccess && bank === "efi"
      ? { efi: { clientId, clientSecret, certificate, passphrase, sandbox } }
      : {}),
    ...(needsAccess && bank === "asaas" ? { asaas: { apiKey, sandbox } } : {}),
  };
}

/** What of the stored credentials is no secret. */
function accessWords(t: TFunction, { efi, asaas }: BillingSettings, bank: ApiBank): string {
  const kept = bank === "efi" ? efi : asaas;
  const until = bank === "efi" ? (efi?.certificateUntil ?? null) : null;
  const name =
    bank === "efi" ? (efi?.clientId ?? "") : t("billing.keyEnd", { end: asaas?.keyEnd ?? "" });
  const words =
    until === null
      ? t("billing.accessKept", { name })
      : t("billing.accessUntil", { name, date: formatDate(until) });
  return kept?.sandbox === true ? `${words}, ${t("billing.inSandbox")}` : words;
}

/** Asks the bank whether it takes the stored credentials. */
function BankTest(): ReactNode {
  const { t } = useTranslation();
  const testing = useMutation({ mutationFn: () => call("POST /billing/settings/test", {}) });
  const { data, error } = testing;
  return (
    <span className={classes["test"]}>
      <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
        {t("billing.test")}
      </Button>
      <span role="status" className={error === null ? "bc-small" : "bc-failure"}>
        {error === null ? null : bankErrorText(t, error)}
        {data === undefined
          ? null
          : t(data.notifyUrl === null ? "billing.testWithoutUrl" : "billing.testDone")}
      </span>
    </span>
  );
}

/** With what the bank said. */
function bankErrorText(t: TFunction, error: Error): string {
  if (error instanceof ApiError && error.code === "ERR_BANK_REFUSED") {
    const words = textIn(error.data, "words");
    if (words !== "") return t("billing.refused", { words });
  }
  return errorText(t, error);
}

const certificateFaults = ["old", "passphrase", "unreadable", "expired"] as const;

function certificateWords(t: TFunction, error: unknown): string {
  const reason = textIn(error instanceof ApiError ? error.data : null, "reason");
  const known = certificateFaults.find((one) => one === reason);
  return known === undefined ? errorText(t, error) : t(`billing.certificateFaults.${known}`);
}

function textIn(data: unknown, key: string): string {
  if (typeof data !== "object" || data === null) return "";
  const value: unknown = new Map(Object.entries(data)).get(key);
  return typeof value === "string" ? value : "";
}
