import type { Consent, ConsentWay } from "@balcao/contract";
import { Menu, NativeSelect, TextInput } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { HeldData } from "./held-data.tsx";
import classes from "./privacy.module.css";

export function PersonDataItem({ onClick }: { onClick: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu.Item
      leftSection={<IconShieldLock size={15} stroke={1.7} aria-hidden="true" />}
      onClick={onClick}
    >
      {t("privacy.open")}
    </Menu.Item>
  );
}

type Props = { contact: { id: number; name: string }; onClose: () => void };

export function PersonDialog({ contact, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  return (
    <FormDialog
      title={t("privacy.of", { name: contact.name })}
      size={640}
      submitLabel={null}
      isBusy={false}
      error={null}
      onSubmit={(event) => event.preventDefault()}
      onClose={onClose}
    >
      <Consents contactId={contact.id} />
      {can("privacy:manage") ? <HeldData contactId={contact.id} onErased={onClose} /> : null}
    </FormDialog>
  );
}

const ways: readonly ConsentWay[] = ["conversation", "form", "campaign", "phone", "paper"];

/** The history of a contact's consent, and a form that adds to it. */
function Consents({ contactId }: { contactId: number }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const params = { contactId };
  const key = ["privacy", "consents", contactId];
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      call("GET /privacy/contacts/:contactId/consents", { params }, { signal }),
    staleTime: 0,
  });
  const [kind, setKind] = useState<Consent["kind"]>("given");
  const [way, setWay] = useState<ConsentWay>("conversation");
  const [note, setNote] = useState("");
  const adding = useMutation({
    mutationFn: () =>
      call("POST /privacy/contacts/:contactId/consents", { params, body: { kind, way, note } }),
    onSuccess: (reply) => {
      client.setQueryData(key, reply);
      setNote("");
    },
  });
  const consents = list.data?.consents ?? [];
  const error = adding.error ?? list.error;
  return (
    <section className={classes["part"]} aria-label={t("privacy.consents.title")}>
      <h2 className={classes["heading"]}>{t("privacy.consents.title")}</h2>
      {consents.length === 0 && list.isSuccess ? (
        <p className="bc-small">{t("privacy.consents.none")}</p>
      ) : (
        <ul className={classes["lines"]}>
          {consents.map((one) => (
            <li key={`${one.at} ${one.kind} ${one.way}`}>
              <strong>{t(`privacy.consents.kinds.${one.kind}`)}</strong>{" "}
              {t(`privacy.consents.ways.${one.way}`)}
              {one.note === "" ? null : `: ${one.note}`}
              <p className="bc-small">
                {[formatMoment(one.at), one.user?.name ?? ""].filter(Boolean).join(" · ")}
              </p>
            </li>
          ))}
        </ul>
      )}
      <div className={classes["row"]}>
        <NativeSelect
          label={t("privacy.consents.kind")}
          value={kind}
          onChange={({ currentTarget: { value } }) =>
            setKind(value === "withdrawn" ? "withdrawn" : "given")
          }
          data={(["given", "withdrawn"] as const).map((value) => ({
            value,
            label: t(`privacy.consents.kinds.${value}`),
          }))}
        />
        <NativeSelect
          label={t("privacy.consents.way")}
          value={way}
          onChange={({ currentTarget: { value } }) =>
            setWay(ways.find((one) => one === value) ?? "conversation")
          }
          data={ways.map((value) => ({ value, label: t(`privacy.consents.ways.${value}`) }))}
        />
        <TextInput
          className={classes["wide"] ?? ""}
          label={t("privacy.consents.note")}
          value={note}
          maxLength={500}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Button variant="default" loading={adding.isPending} onClick={() => adding.mutate()}>
          {t("privacy.consents.add")}
        </Button>
      </div>
      {error ? (
        <p className="bc-failure" role="alert">
          {errorText(t, error)}
        </p>
      ) : null}
    </section>
  );
}
