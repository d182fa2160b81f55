import type { ResolveReason } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Suspense, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { reasonList } from "./api.ts";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

/** The reasons that are offered when a ticket is resolved: added, renamed and deleted in place. */
export function ResolveReasons(): ReactNode {
  const { t } = useTranslation();
  const { data: reasons = [] } = useQuery(reasonList.query);
  const [editedId, setEditedId] = useState<number | null>(null);
  const [leaving, setLeaving] = useState<ResolveReason | null>(null);
  return (
    <Section title={t("settings.reasons.title")} text={t("settings.reasons.help")}>
      <ul className={classes["reasons"]}>
        {reasons.map((reason) => (
          <li key={reason.id} className={classes["reason"]}>
            {editedId === reason.id ? (
              <ReasonForm reason={reason} onDone={() => setEditedId(null)} />
            ) : (
              <>
                <span className={classes["reasonName"]}>{reason.name}</span>
                <IconButton
                  size="small"
                  label={t("settings.reasons.edit", { name: reason.name })}
                  icon={IconPencil}
                  onClick={() => setEditedId(reason.id)}
                />
                <IconButton
                  size="small"
                  label={t("settings.reasons.delete", { name: reason.name })}
                  icon={IconTrash}
                  onClick={() => setLeaving(reason)}
                />
              </>
            )}
          </li>
        ))}
        {reasons.length < limits.resolveReasonsMax ? (
          <li className={classes["reason"]}>
            <ReasonForm reason={null} onDone={() => undefined} />
          </li>
        ) : null}
      </ul>
      <Suspense fallback={null}>
        {leaving === null ? null : (
          <ActionQuestion
            title={t("settings.reasons.deleteTitle", { name: leaving.name })}
            text={t("settings.reasons.deleteText")}
            confirm={t("settings.reasons.deleteIt")}
            isDestructive
            run={async () => {
              await call("DELETE /resolve-reasons/:resolveReasonId", {
                params: { resolveReasonId: leaving.id },
              });
              reasonList.apply({ removedId: leaving.id });
            }}
            onDone={() => notifySuccess(t("settings.reasons.deleted"))}
            onClose={() => setLeaving(null)}
          />
        )}
      </Suspense>
    </Section>
  );
}

type FormProps = {
  /** Null: a new one. */
  reason: ResolveReason | null;
  onDone: () => void;
};

function ReasonForm({ reason, onDone }: FormProps): ReactNode {
  const { t } = useTranslation();
  const [name, setName] = useState(reason?.name ?? "");
  const [isChecked, setChecked] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const save = useMutation({
    mutationFn: (body: { name: string }) =>
      reason === null
        ? call("POST /resolve-reasons", { body })
        : call("PUT /resolve-reasons/:resolveReasonId", {
            params: { resolveReasonId: reason.id },
            body,
          }),
    onSuccess: (row) => {
      reasonList.apply({ row });
      notifySuccess(t("settings.saved"));
      setName("");
      setChecked(false);
      onDone();
    },
    onError: () => field.current?.focus(),
  });
  const isShort = name.trim().length < limits.nameMin;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (save.isPending) return;
    setChecked(true);
    if (isShort) field.current?.focus();
    else save.mutate({ name: name.trim() });
  }

  const shortError = isChecked && isShort ? t("settings.reasons.short") : undefined;
  return (
    <form noValidate className={classes["reasonForm"]} onSubmit={submit}>
      <TextInput
        ref={field}
        className={classes["reasonName"] ?? ""}
        aria-label={t(reason === null ? "settings.reasons.new" : "settings.reasons.name")}
        placeholder={reason === null ? t("settings.reasons.new") : ""}
        value={name}
        maxLength={limits.nameMax}
        error={shortError ?? (save.error === null ? undefined : errorText(t, save.error))}
        data-autofocus={reason === null ? undefined : true}
        autoFocus={reason !== null}
        onChange={(event) => {
          setName(event.currentTarget.value);
          save.reset();
        }}
      />
      {reason === null ? null : (
        <Button variant="default" onClick={onDone}>
          {t("common.cancel")}
        </Button>
      )}
      <Button
        type="submit"
        variant={reason === null ? "default" : "filled"}
        loading={save.isPending}
      >
        {t(reason === null ? "settings.reasons.add" : "common.save")}
      </Button>
    </form>
  );
}
