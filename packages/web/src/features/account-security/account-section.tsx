import type { OpenSession, Passkey } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconDeviceLaptop, IconKey } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatDate, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText, ListSkeleton, notifyError, notifySuccess } from "../../ui/index.ts";
import {
  addPasskey,
  endOtherSessions,
  endSession,
  forgetBrowsers,
  readSecurityAgain,
  removeFactor,
  removePasskey,
  renamePasskey,
  renewCodes,
  startFactor,
  unlessRefused,
  useSecurity,
  useSessions,
  useSignIns,
} from "./api.ts";
import { useStoredSession } from "../auth/index.ts";
import { Ask, AskPassword, FactorSetUp, RecoveryCodes, SignInList } from "./parts.tsx";
import classes from "./account-security.module.css";

export type SectionProps = {
  /** A dialog opens over the form, or closes. */
  onCover: (isCovered: boolean) => void;
};

/** The state of the own account's security, and the dialog that changes it. To a visitor of the provider it is somebody else's. */
export function AccountSecurity(props: SectionProps): ReactNode {
  return useStoredSession()?.visit ? null : <OwnSecurity {...props} />;
}

function OwnSecurity({ onCover }: SectionProps): ReactNode {
  const { t } = useTranslation();
  const { data } = useSecurity();
  const [isOpen, setOpen] = useState(false);
  const show = (next: boolean): void => {
    setOpen(next);
    onCover(next);
  };
  const state = data && t(data.factorSince === null ? "security.isOff" : "security.isOn");
  return (
    <FieldGroup legend={t("security.title")}>
      <div className={classes["row"]}>
        <span className={classes["about"]}>{state}</span>
        <Button variant="default" onClick={() => show(true)}>
          {t("security.manage")}
        </Button>
      </div>
      {isOpen ? (
        <DialogFrame opened size={640} title={t("security.title")} onClose={() => show(false)}>
          <div className={classes["sections"]}>
            <Factor />
            <Passkeys />
            <Sessions />
            <History />
          </div>
        </DialogFrame>
      ) : null}
    </FieldGroup>
  );
}

type FactorStep = "set-up" | "scan" | "off" | "codes" | { codes: string[] } | null;

function Factor(): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useSecurity();
  const [step, setStep] = useState<FactorStep>(null);
  const [start, setStart] = useState<(() => ReturnType<typeof startFactor>) | null>(null);
  const close = (): void => setStep(null);
  const done = async (text: string): Promise<void> => {
    await readSecurityAgain();
    notifySuccess(text);
    close();
  };
  const forget = useMutation({
    mutationFn: forgetBrowsers,
    onSuccess: () => done(t("security.forgotten")),
    onError: notifyError,
  });
  if (data === undefined)
    return error ? <p role="alert">{errorText(t, error)}</p> : <ListSkeleton />;
  const isOn = data.factorSince !== null;
  return (
    <FieldGroup legend={t("security.factor")} help={t("security.factorHelp")}>
      {step === "set-up" ? (
        <AskPassword
          submit={t("security.continue")}
          onCancel={close}
          run={async (password) => {
            // The password is asked for before the secret is shown.
            const made = await startFactor(password);
            setStart(() => () => Promise.resolve(made));
            setStep("scan");
          }}
        />
      ) : null}
      {step === "scan" && start ? (
        <FactorSetUp
          start={start}
          onCancel={close}
          onConfirmed={({ recoveryCodes }) => {
            setStep({ codes: recoveryCodes });
            void readSecurityAgain();
          }}
        />
      ) : null}
      {step === "off" ? (
        <AskPassword
          submit={t("security.turnOff")}
          onCancel={close}
          run={async (password) => {
            await removeFactor(password);
            await done(t("security.turnedOff"));
          }}
        />
      ) : null}
      {step === "codes" ? (
        <AskPassword
          submit={t("security.newCodes")}
          onCancel={close}
          run={async (password) => {
            setStep({ codes: await renewCodes(password) });
            void readSecurityAgain();
          }}
        />
      ) : null}
      {typeof step === "object" && step !== null ? (
        <RecoveryCodes codes={step.codes} done={t("security.done")} onDone={close} />
      ) : null}
      {step === null && isOn ? (
        <>
          <p className={classes["text"]}>
            {t("security.since", { day: formatDate(data.factorSince ?? "") })}{" "}
            {t("security.codesLeft", { count: data.codesLeft })}
          </p>
          <div className={classes["actions"]}>
            <Button variant="default" onClick={() => setStep("codes")}>
              {t("security.newCodes")}
            </Button>
            {data.isDemanded ? null : (
              <Button variant="default" onClick={() => setStep("off")}>
                {t("security.turnOff")}
              </Button>
            )}
            {data.trustedBrowsers === 0 ? null : (
              <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
                {t("security.forget", { count: data.trustedBrowsers })}
              </Button>
            )}
          </div>
        </>
      ) : null}
      {step === null && !isOn ? (
        <div className={classes["actions"]}>
          <Button onClick={() => setStep("set-up")}>{t("security.turnOn")}</Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}

function Passkeys(): ReactNode {
  const { t } = useTranslation();
  const { data } = useSecurity();
  const [isAdding, setAdding] = useState(false);
  const [name, setName] = useState("");
  if (!data || (!data.offersPasskeys && data.passkeys.length === 0)) return null;
  const isPossible = data.offersPasskeys && "PublicKeyCredential" in window;
  async function add(password: string): Promise<void> {
    const made = await addPasskey(password, name.trim() || t("security.passkey")).catch(
      unlessRefused,
    );
    if (made === null) return;
    await readSecurityAgain();
    notifySuccess(t("security.passkeyAdded"));
    setAdding(false);
    setName("");
  }
  return (
    <FieldGroup legend={t("security.passkeys")} help={t("security.passkeysHelp")}>
      {data.passkeys.length === 0 ? null : (
        <ul className={classes["list"]}>
          {data.passkeys.map((one) => (
            <PasskeyRow key={one.id} passkey={one} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <AskPassword submit={t("security.addPasskey")} onCancel={() => setAdding(false)} run={add}>
          <NameField value={name} onChange={setName} />
        </AskPassword>
      ) : null}
      {isPossible && !isAdding ? (
        <div className={classes["actions"]}>
          <Button variant="default" onClick={() => setAdding(true)}>
            {t("security.addPasskey")}
          </Button>
        </div>
      ) : null}
    </FieldGroup>
  );
}

function NameField({
  value,
  onChange,
}: {
  value: string;
  onChange: (name: string) => void;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <TextInput
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      label={t("security.passkeyName")}
      placeholder={t("security.passkeyExample")}
      maxLength={limits.passkeyNameMax}
    />
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }): ReactNode {
  const { t } = useTranslation();
  const [step, setStep] = useState<"name" | "remove" | null>(null);
  const [name, setName] = useState(passkey.name);
  const close = (): void => setStep(null);
  async function run(work: Promise<unknown>): Promise<void> {
    await work;
    await readSecurityAgain();
    close();
  }
  return (
    <li>
      <div className={classes["row"]}>
        <span>
          <span className={classes["name"]}>
            <IconKey size={16} stroke={1.7} aria-hidden="true" /> {passkey.name}
          </span>
          <span className={classes["about"]}>
            {passkey.usedAt === null
              ? t("security.neverUsed")
              : t("security.lastUse", { day: formatDate(passkey.usedAt) })}
          </span>
        </span>
        <span className={classes["actions"]}>
          <Button variant="subtle" size="compact" onClick={() => setStep("name")}>
            {t("security.rename")}
          </Button>
          <Button variant="subtle" size="compact" onClick={() => setStep("remove")}>
            {t("security.remove")}
          </Button>
        </span>
      </div>
      {step === "name" ? (
        <Ask
          submit={t("common.save")}
          onCancel={close}
          run={() => run(renamePasskey(passkey, name.trim() || passkey.name))}
        >
          <NameField value={name} onChange={setName} />
        </Ask>
      ) : null}
      {step === "remove" ? (
        <AskPassword
          submit={t("security.remove")}
          onCancel={close}
          run={(password) => run(removePasskey(passkey, password))}
        />
      ) : null}
    </li>
  );
}

function Sessions(): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useSessions();
  const end = useMutation({
    mutationFn: (one: OpenSession | null) =>
      one === null ? endOtherSessions() : endSession(one.id),
    async onSuccess() {
      await readSecurityAgain();
      notifySuccess(t("security.ended"));
    },
    onError: notifyError,
  });
  const others = data?.filter(({ isOwn }) => !isOwn) ?? [];
  return (
    <FieldGroup legend={t("security.sessions")}>
      {error ? <p role="alert">{errorText(t, error)}</p> : null}
      {data === undefined && !error ? <ListSkeleton /> : null}
      <ul className={classes["list"]}>
        {data?.map((one) => (
          <li key={one.id} className={classes["row"]}>
            <span>
              <span className={classes["name"]}>
                <IconDeviceLaptop size={16} stroke={1.7} aria-hidden="true" />{" "}
                {one.device || t("security.unknownDevice")}
              </span>
              <span className={classes["about"]}>
                {one.isOwn ? `${t("security.thisDevice")} · ` : ""}
                {t("security.used", {
                  address: one.address,
                  day: formatDate(one.usedAt),
                  time: formatTime(one.usedAt),
                })}
              </span>
            </span>
            {one.isOwn ? null : (
              <Button
                variant="default"
                size="compact"
                loading={end.isPending && end.variables?.id === one.id}
                aria-label={t("security.endNamed", { device: one.device })}
                onClick={() => end.mutate(one)}
              >
                {t("security.end")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length < 2 ? null : (
        <div className={classes["actions"]}>
          <Button
            variant="default"
            loading={end.isPending && end.variables === null}
            onClick={() => end.mutate(null)}
          >
            {t("security.endOthers")}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

function History(): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useSignIns();
  return (
    <FieldGroup legend={t("security.history")}>
      {error ? <p role="alert">{errorText(t, error)}</p> : null}
      {data === undefined ? null : <SignInList rows={data} />}
    </FieldGroup>
  );
}
