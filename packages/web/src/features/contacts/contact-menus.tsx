import type { Contact, SheetFormat } from "@balcao/contract";
import { Menu } from "@mantine/core";
import {
  IconAddressBook,
  IconArrowMerge,
  IconCalendarPlus,
  IconDeviceMobile,
  IconMessageCircle,
  IconMessageOff,
  IconPencil,
  IconTableImport,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { Suspense, useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { ExportItems } from "../../ui/choices.tsx";
import { notifyError, notifyInfo } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { PersonDataItem, PersonDialog } from "../privacy/index.ts";
import { periods } from "./contact-filter.ts";

type Props = {
  contact: Pick<Contact, "id" | "name" | "optOut" | "isGroup">;
  /** Opens the menu. */
  target: ReactElement;
  /** Undefined on the page that it would open. */
  onShow?: () => void;
  onEdit: () => void;
  /** Null for a group. */
  onMerge: (() => void) | null;
  onSchedule: () => void;
  onOptOut: () => void;
  onEndOptOut: () => void;
  onRemove: () => void;
};

/** The menu of a contact in the list. */
export function ContactMenu(props: Props): ReactNode {
  const { contact, target, onShow, onEdit, onMerge } = props;
  const { onSchedule, onOptOut, onEndOptOut, onRemove } = props;
  const { t } = useTranslation();
  const { can } = useSession();
  const [showsData, setShowsData] = useState(false);
  const isOut = contact.optOut !== null;
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;
  return (
    <>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>
          {onShow === undefined ? null : (
            <Menu.Item leftSection={<IconAddressBook {...icon} />} onClick={onShow}>
              {t("contacts.page.show")}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
            {t("contacts.change")}
          </Menu.Item>
          {can("schedules:use") && !isOut && !contact.isGroup ? (
            <Menu.Item leftSection={<IconCalendarPlus {...icon} />} onClick={onSchedule}>
              {t("schedules.newTitle")}
            </Menu.Item>
          ) : null}
          {isOut ? (
            <Menu.Item leftSection={<IconMessageCircle {...icon} />} onClick={onEndOptOut}>
              {t("contacts.optOut.end")}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconMessageOff {...icon} />} onClick={onOptOut}>
              {t("contacts.optOut.set")}
            </Menu.Item>
          )}
          {onMerge === null ? null : (
            <Menu.Item leftSection={<IconArrowMerge {...icon} />} onClick={onMerge}>
              {t("contacts.merge.open")}
            </Menu.Item>
          )}
          {can("contacts:delete") ? (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<IconTrash {...icon} />} onClick={onRemove}>
                {t("contacts.remove")}
              </Menu.Item>
            </>
          ) : null}
          {contact.isGroup ? null : (
            <Suspense fallback={null}>
              <PersonDataItem onClick={() => setShowsData(true)} />
            </Suspense>
          )}
        </Menu.Dropdown>
      </Menu>
      {showsData ? (
        <Suspense fallback={null}>
          <PersonDialog contact={contact} onClose={() => setShowsData(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

type ImportProps = {
  /** Opens the menu. */
  target: ReactElement;
  /** Where there is no room for a button of its own: the export of the rows. */
  exporting: { count: number; save: (format: SheetFormat) => Promise<void> } | null;
};

/** The ways to import contacts. */
export function ImportMenu({ target, exporting }: ImportProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const hasPhone = useConnections().some(({ channel }) => channel === "whatsapp-web");

  async function importFromPhone(): Promise<void> {
    try {
      const { contactImportId } = await call("POST /contacts/import", {});
      if (contactImportId === null) notifyInfo(t("imports.phoneEmpty"));
      else navigate(`/contacts/import/${contactImportId}`);
    } catch (error) {
      notifyError(error);
    }
  }

  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("imports.menu")}</Menu.Label>
        <Menu.Item
          leftSection={<IconTableImport size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => navigate("/contacts/import")}
        >
          {t("imports.fromSheet")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDeviceMobile size={15} stroke={1.7} aria-hidden="true" />}
          disabled={!hasPhone}
          onClick={() => void importFromPhone()}
        >
          {t("imports.fromPhone")}
          {hasPhone ? null : <div className="bc-meta">{t("imports.noPhone")}</div>}
        </Menu.Item>
        {exporting === null ? null : (
          <>
            <Menu.Label>{t("common.export.rows", { count: exporting.count })}</Menu.Label>
            <ExportItems save={exporting.save} />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

type PeriodProps = {
  /** Negative: longer ago; null for any time. */
  days: number | null;
  /** Whether it may be longer ago. */
  hasBefore: boolean;
  textOf: (days: number) => string;
  onChoose: (days: number) => void;
};

/** Days back from today as items of a menu. */
export function PeriodValues({ days, hasBefore, textOf, onChoose }: PeriodProps): ReactNode {
  const offered = [...periods, ...(hasBefore ? periods.slice(1).map((one) => -one) : [])];
  return (
    <Menu.RadioGroup value={String(days)} onChange={(value) => onChoose(Number(value))}>
      {offered.map((one) => (
        <Menu.RadioItem key={one} value={String(one)}>
          {textOf(one)}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
