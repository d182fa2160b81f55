import type { ContactListItem, ListValidity, ShownContactList } from "@balcao/contract";
import {
  IconAddressBook,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconListDetails,
  IconMessageOff,
  IconRefresh,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page/page.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { EmptyCell, OptOutMark } from "../../ui/page/cells.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { formatPhone } from "../../ui/phone-number.ts";
import { ListSkeleton, LoadFailed } from "../../ui/states.tsx";
import { useSession } from "../auth/index.ts";
import {
  checkContactList,
  memberPages,
  refreshContactList,
  removeMember,
  saveMembersFile,
  useContactList,
} from "./api.ts";
import classes from "./contact-list-members.module.css";
import { contactsAddressOf, useFilterWords } from "./filter-words.ts";

const MemberDialog = lazyPart(
  async () => (await import("./member-dialog.tsx")).MemberDialog,
  "over",
);

/** The people on a list, and whether it can be sent to. */
export function ContactListMembers({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useContactList(id);
  if (data !== undefined) return <Members list={data} />;
  return (
    <Page title={t("listMembers.title")} back={<BackToLists />}>
      {error === null ? (
        <ListSkeleton />
      ) : (
        <LoadFailed icon={IconListDetails} error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Members({ list }: { list: ShownContactList }): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const { can } = useSession();
  const mayManage = (): boolean => can("contact-lists:manage");
  const validity = readValidity(address.filter);
  const shown = validity === null ? list.contactsCount : list.counts[validity];
  return (
    <RecordPage
      texts="listMembers"
      icon={IconAddressBook}
      address={address}
      title={list.name}
      count={list.contactsCount}
      back={<BackToLists />}
      pages={memberPages.usePages({ listId: list.id, words: address.words, validity })}
      nameOf={({ name }) => name}
      columns={useColumns()}
      tools={
        <>
          {shown === 0 ? null : (
            <ExportButton
              count={shown}
              save={(format) => saveMembersFile(list.id, validity, format)}
            />
          )}
          {mayManage() ? <ImportLink id={list.id} /> : null}
        </>
      }
      filters={
        <>
          <StateCard list={list} mayManage={mayManage()} />
          <ValidityPills
            list={list}
            chosen={validity}
            onChoose={(next) => address.change({ filter: next ?? "" })}
          />
        </>
      }
      emptyTools={mayManage() ? <ImportLink id={list.id} /> : null}
      mayAdd={mayManage()}
      mayEdit={mayManage}
      mayDelete={mayManage}
      renderForm={(member, onClose) => (
        <MemberDialog listId={list.id} member={member} onClose={onClose} />
      )}
      deleteText={() => t("listMembers.deleteText")}
      onDelete={removeMember}
    />
  );
}

function ImportLink({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <Link to={`/contact-lists/${id}/import`} {...buttonLook({ variant: "default" })}>
      {t("imports.menu")}
    </Link>
  );
}

function BackToLists(): ReactNode {
  const { t } = useTranslation();
  return <Link to="/contact-lists">{t("contactLists.title")}</Link>;
}

const validities = ["valid", "invalid", "unchecked", "optedOut"] as const;

const readValidity = (text: string): ListValidity | null =>
  validities.find((one) => one === text) ?? null;

function useColumns(): readonly Column<ContactListItem>[] {
  const { t } = useTranslation();
  return [
    {
      id: "validity",
      fit: "content",
      title: t("listMembers.validity"),
      renderCell: (member) => <Validity member={member} />,
    },
    {
      id: "name",
      title: t("contacts.name"),
      renderCell: ({ name, isOptedOut }) => (
        <RowName name={name} after={isOptedOut ? <OptOutMark /> : null} />
      ),
      isName: true,
    },
    {
      id: "number",
      fit: "content",
      title: t("contacts.number"),
      renderCell: ({ number }) => formatPhone(number),
    },
    {
      id: "email",
      title: t("contacts.email"),
      renderCell: ({ email }) => (email === "" ? <EmptyCell /> : email),
    },
    {
      id: "checked",
      fit: "content",
      isExtra: true,
      title: t("listMembers.checked"),
      renderCell: ({ checkedAt }) => (checkedAt === null ? <EmptyCell /> : formatMoment(checkedAt)),
    },
  ];
}

const icons = {
  valid: IconCircleCheck,
  invalid: IconCircleX,
  unchecked: IconCircleDashed,
  optedOut: IconMessageOff,
};

function ValidityIcon({ of }: { of: ListValidity }): ReactNode {
  const Icon = icons[of];
  return (
    <Icon size={15} stroke={1.7} aria-hidden="true" className={classes["icon"]} data-of={of} />
  );
}

function Validity({ member }: { member: ContactListItem }): ReactNode {
  const { t } = useTranslation();
  const known = member.isWhatsappValid ? "valid" : "invalid";
  const state = member.checkedAt === null ? "unchecked" : known;
  return (
    <span className={classes["validity"]}>
      <ValidityIcon of={state} />
      {state === "valid" ? t("listMembers.isValid") : t(`listMembers.pills.${state}`)}
    </span>
  );
}

type StateProps = { list: ShownContactList; mayManage: boolean };

/** Answers one question: can this list be sent to (ui-2.md, contact list members). */
function StateCard({ list, mayManage }: StateProps): ReactNode {
  const { t } = useTranslation();
  const { counts, check } = list;
  const isUnchecked = counts.unchecked > 0 && check.state === "idle";
  const ask = useMutation({
    mutationFn: () => checkContactList(list.id),
    onError: notifyError,
  });
  const shares = validities.filter((one) => one !== "optedOut");
  return (
    <section className={classes["state"]} aria-label={t("listMembers.state")}>
      <div className={classes["numbers"]}>
        <p className={classes["headline"]} aria-live="polite">
          {useHeadline(list)}
        </p>
        <div className={classes["bar"]} aria-hidden="true">
          {shares.map((one) => (
            <span key={one} data-of={one} style={{ flexGrow: counts[one] }} />
          ))}
        </div>
        <ul className={classes["legend"]}>
          {validities.map((one) => (
            <li key={one} data-of={one}>
              <ValidityIcon of={one} />
              <strong>{counts[one]}</strong> {t(`listMembers.pills.${one}`)}
            </li>
          ))}
          {isUnchecked && mayManage ? (
            <li>
              <Button
                size="xs"
                variant="default"
                loading={ask.isPending}
                onClick={() => ask.mutate()}
              >
                {t("listMembers.checkNow")}
              </Button>
            </li>
          ) : null}
        </ul>
      </div>
      <Source list={list} mayManage={mayManage} />
    </section>
  );
}

function useHeadline({ counts, check, contactsCount }: ShownContactList): string {
  const { t } = useTranslation();
  const { connection: name, checkedAt } = check;
  if (contactsCount === 0) return t("listMembers.headline.empty");
  if (check.state === "stopped") return t("listMembers.headline.stopped");
  if (check.state === "running") return t("listMembers.headline.running");
  if (counts.unchecked > 0) return t("listMembers.headline.unchecked");
  if (checkedAt === null) return t("listMembers.headline.unchecked");
  const when = formatMoment(checkedAt);
  return name === null
    ? t("listMembers.headline.checked", { when })
    : t("listMembers.headline.checkedBy", { when, name });
}

/** Where the people of the list come from, and those who fit its filter by now. */
function Source({ list, mayManage }: StateProps): ReactNode {
  const { t } = useTranslation();
  const words = useFilterWords(list.filter ?? {});
  const refresh = useMutation({
    mutationFn: () => refreshContactList(list.id),
    onSuccess: ({ added }) => notifySuccess(t("listMembers.added", { count: added })),
    onError: notifyError,
  });
  if (list.filter === null) {
    return <p className={classes["source"]}>{t("listMembers.byHand")}</p>;
  }
  return (
    <div className={classes["source"]}>
      <strong>{t("listMembers.fromFilter")}</strong>
      <p>
        {words === "" ? t("listMembers.everybody") : words}.{" "}
        {t("listMembers.fitting", { count: list.fitting })}
      </p>
      <span className={classes["actions"]}>
        {mayManage && list.fitting > 0 ? (
          <Button
            size="xs"
            variant="default"
            loading={refresh.isPending}
            leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => refresh.mutate()}
          >
            {t("listMembers.refresh")}
          </Button>
        ) : null}
        <Link to={contactsAddressOf(list.filter)}>{t("listMembers.showFilter")}</Link>
      </span>
    </div>
  );
}

type PillsProps = {
  list: ShownContactList;
  chosen: ListValidity | null;
  onChoose: (validity: ListValidity | null) => void;
};

function ValidityPills({ list, chosen, onChoose }: PillsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t("listMembers.show")} className={classes["pills"]}>
      {[null, ...validities].map((one) => (
        <button
          key={one ?? "all"}
          type="button"
          className={classes["pill"]}
          aria-pressed={one === chosen}
          onClick={() => onChoose(one)}
        >
          {t(`listMembers.pills.${one ?? "all"}`)}{" "}
          <strong>{one === null ? list.contactsCount : list.counts[one]}</strong>
        </button>
      ))}
    </div>
  );
}
