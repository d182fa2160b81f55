import type { Queue } from "@balcao/contract";
import { NativeSelect } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { errorText, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import type { QueueUse } from "./api.ts";
import { deleteQueue, useQueueUse } from "./api.ts";
import classes from "./queue-removal.module.css";
import { Button } from "../../ui/button.tsx";

type Props = { queue: Queue; others: readonly Queue[]; onClose: () => void };

/** Says what hangs on a queue and asks where its tickets go, before it is deleted. */
export function QueueRemoval({ queue, others, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { id, name } = queue;
  const { data: use, error, refetch } = useQueueUse(id);
  const [target, setTarget] = useState("");
  const removal = useMutation({
    mutationFn: () => deleteQueue(id, target === "" ? null : Number(target)),
    onSuccess: () => {
      notifySuccess(t("queues.deleted"));
      onClose();
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (use) removal.mutate();
  }

  const failure = removal.error ?? error;
  return (
    <DialogFrame opened onClose={onClose} title={t("queues.deleteTitle", { name })}>
      <form noValidate className="bc-form" onSubmit={submit}>
        {use || error ? null : <ListSkeleton rows={3} />}
        {use ? (
          <ul className={classes["use"]}>
            {usesOf(t, use).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
        {use && use.tickets > 0 ? (
          <NativeSelect
            label={t("queues.ticketsGoTo")}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
            data={[
              { value: "", label: t("queues.noTarget") },
              ...others.map((other) => ({ value: String(other.id), label: other.name })),
            ]}
          />
        ) : null}
        {failure === null ? null : (
          <p className="bc-failure" role="alert">
            {errorText(t, failure)}
          </p>
        )}
        <div className={classes["actions"]}>
          <Button variant="default" data-autofocus onClick={onClose}>
            {t("common.cancel")}
          </Button>
          {error && !use ? (
            <Button onClick={() => void refetch()}>{t("common.retry")}</Button>
          ) : (
            <Button type="submit" color="bad" loading={removal.isPending} disabled={!use}>
              {t("common.deleteConfirm")}
            </Button>
          )}
        </div>
      </form>
    </DialogFrame>
  );
}

/** What the deletion means, one line each. */
function usesOf(t: TFunction, { tickets, users, connections, options }: QueueUse): string[] {
  return [
    tickets === 0 ? t("queues.useNoTickets") : t("queues.useTickets", { count: tickets }),
    ...(users === 0 ? [] : [t("queues.useUsers", { count: users })]),
    ...(connections.length === 0
      ? []
      : [t("queues.useConnections", { names: connections.map(({ name }) => name).join(", ") })]),
    ...(options === 0 ? [] : [t("queues.useOptions", { count: options })]),
    t("queues.useForGood"),
  ];
}
