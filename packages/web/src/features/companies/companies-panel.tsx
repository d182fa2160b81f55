import type { ManagedCompany } from "@balcao/contract";
import { companyOrders, companyStates } from "@balcao/contract/company-choices";
import { Menu } from "@mantine/core";
import {
  IconBuilding,
  IconDotsVertical,
  IconFileExport,
  IconLogin2,
  IconPackage,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconReceipt2,
  IconTableImport,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { DraftOf } from "../../ui/drafts.ts";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { FilteredList } from "../../ui/page/filtered-list.tsx";
import { useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import type { Sort } from "../../ui/page/record-table.tsx";
import { EnterQuestion } from "../support/index.ts";
import { companyPages, invoicesAddress, setSuspended, useTotals } from "./api.ts";
import classes from "./companies.module.css";
import { columnsOf, tintOf } from "./company-columns.tsx";
import { Figures } from "./company-figures.tsx";
import { CompanyForm } from "./company-form.tsx";
import { DeleteQuestion, SuspendQuestion } from "./company-questions.tsx";

/** With the texts of spreadsheets. */
const CompanySheet = lazyPart(
  async () => (await import("./company-sheet.tsx")).CompanySheet,
  "over",
  "rare",
);

const CompanyExports = lazyPart(
  async () => (await import("./company-exports.tsx")).CompanyExports,
  "over",
  "provider",
);

const place = { tab: "companies" };
/** Connections go down, and people come and go. */
const READ_EVERY_MS = 60_000;
const usual = { by: "dueDate", descending: false } as const;
const chips = [null, ...companyStates] as const;

/** Which companies need a call today: a tab of the settings for super users. */
export function CompaniesPanel(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(READ_EVERY_MS);
  const address = useListAddress(place);
  const { words, open, openForm, closeForm } = address;
  const state = companyStates.find((one) => one === address.filter) ?? null;
  const order = companyOrders.find((one) => one === address.sort?.by) ?? usual.by;
  const sort = { by: order, descending: address.sort?.descending ?? false };
  const pages = companyPages.usePages(
    { words, state, order, descending: sort.descending },
    { staleTime: 0, refetchInterval: READ_EVERY_MS },
  );
  const totals = useTotals();
  const opened = useOpenRow(address, pages, () => true);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isAtPlan, setIsAtPlan] = useState(false);
  const isUsual = (next: Sort): boolean => next?.by === usual.by && !next.descending;
  const show = (id: number | "new"): void => {
    setIsAtPlan(false);
    openForm(id);
  };
  const close = (): void => setAsked(null);
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

  return (
    <div className={classes["panel"]}>
      <Figures
        totals={totals}
        nowMs={nowMs}
        chosen={state}
        onChoose={(value) => address.change({ filter: value ?? "" })}
      />
      <FilteredList
        address={address}
        icon={IconBuilding}
        label={t("companies.title")}
        searchLabel={t("companies.search")}
        filters={{
          label: t("companies.show"),
          chips: chips.map((value) => ({
            value,
            label: t(`companies.states.${value ?? "all"}`),
            count: totals?.[value ?? "all"] ?? null,
          })),
          chosen: state,
        }}
        buttons={
          <>
            <Button
              variant="default"
              leftSection={<IconTableImport {...icon} />}
              onClick={() => setAsked({ what: "sheet" })}
            >
              {t("companies.sheet.button")}
            </Button>
            <Button leftSection={<IconPlus {...icon} />} onClick={() => show("new")}>
              {t("companies.new")}
            </Button>
          </>
        }
        pages={pages}
        columns={columnsOf(t, nowMs, show)}
        sort={sort}
        onSort={(next) => address.change({ sort: isUsual(next) ? null : next })}
        identify={({ id }) => id}
        tintOf={({ daysLeft }) => tintOf(daysLeft)}
        onOpen={({ id }) => show(id)}
        renderActions={(company) => (
          <Actions
            company={company}
            onEdit={() => show(company.id)}
            onPlan={() => {
              setIsAtPlan(true);
              openForm(company.id);
            }}
            onEnter={() => setAsked({ what: "enter", company })}
            onSuspend={() => setAsked({ what: "suspend", company })}
            onExport={() => setAsked({ what: "export", company })}
            onDelete={() => setAsked({ what: "delete", company })}
          />
        )}
      />
      {open === "new" || opened !== null ? (
        <DraftOf value={`companies ${open}`}>
          <CompanyForm key={open} company={opened} isAtPlan={isAtPlan} onClose={closeForm} />
        </DraftOf>
      ) : null}
      <Suspense fallback={null}>
        {asked?.what === "enter" ? <EnterQuestion company={asked.company} onClose={close} /> : null}
        {asked?.what === "suspend" ? (
          <SuspendQuestion company={asked.company} onClose={close} />
        ) : null}
        {asked?.what === "delete" ? (
          <DeleteQuestion company={asked.company} onClose={close} />
        ) : null}
        {asked?.what === "export" ? (
          <CompanyExports company={asked.company} onClose={close} />
        ) : null}
        {asked?.what === "sheet" ? <CompanySheet onClose={close} /> : null}
      </Suspense>
    </div>
  );
}

/** The dialog over the list. */
type Asked =
  | { what: "sheet" }
  | { what: "enter" | "suspend" | "export" | "delete"; company: ManagedCompany };

type ActionsProps = { company: ManagedCompany } & Record<
  "onEdit" | "onPlan" | "onEnter" | "onSuspend" | "onExport" | "onDelete",
  () => void
>;

/** What can be done with a company: buttons in its row, and a menu that has all of it on narrow screens. */
function Actions(props: ActionsProps): ReactNode {
  const { company, onEdit, onPlan, onEnter, onSuspend, onExport, onDelete } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { name, status, isProvider } = company;
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

  function resume(): void {
    setSuspended(company.id, null)
      .then(() => notifySuccess(t("companies.resumed", { name })))
      .catch(notifyError);
  }

  return (
    <>
      <span className="bc-wide-only">
        {isProvider ? null : (
          <IconButton
            label={t("support.enterAsOf", { name })}
            icon={IconLogin2}
            onClick={onEnter}
          />
        )}
        <IconButton label={t("common.edit", { name })} icon={IconPencil} onClick={onEdit} />
      </span>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <IconButton label={t("companies.actionsOf", { name })} icon={IconDotsVertical} />
        </Menu.Target>
        <Menu.Dropdown>
          {isProvider ? null : (
            <Menu.Item leftSection={<IconLogin2 {...icon} />} onClick={onEnter}>
              {t("support.enterAs")}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
            {t("companies.edit")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconReceipt2 {...icon} />}
            onClick={() => navigate(invoicesAddress(company))}
          >
            {t("companies.seeInvoices")}
          </Menu.Item>
          <Menu.Item leftSection={<IconPackage {...icon} />} onClick={onPlan}>
            {t("companies.changePlan")}
          </Menu.Item>
          {status && !isProvider ? (
            <Menu.Item leftSection={<IconPlayerPause {...icon} />} onClick={onSuspend}>
              {t("companies.suspend")}
            </Menu.Item>
          ) : null}
          {status ? null : (
            <Menu.Item leftSection={<IconPlayerPlay {...icon} />} onClick={resume}>
              {t("companies.resume")}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconFileExport {...icon} />} onClick={onExport}>
            {t("companies.exports.menu")}
          </Menu.Item>
          {isProvider ? null : (
            <Menu.Item color="bad" leftSection={<IconTrash {...icon} />} onClick={onDelete}>
              {t("companies.delete")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
