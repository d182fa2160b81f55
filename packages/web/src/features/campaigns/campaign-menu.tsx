import type { Campaign } from "@balcao/contract";
import { Menu } from "@mantine/core";
import { IconChartBar, IconPencil, IconRefresh, IconSquare, IconTrash } from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { CampaignAsk } from "./campaign-question.tsx";

type Props = {
  campaign: Campaign;
  mayManage: boolean;
  /** Opens the menu. */
  target: ReactElement;
  /** Null: nothing was sent yet. */
  onReport: (() => void) | null;
  onEdit: () => void;
  onAsk: (act: CampaignAsk["act"]) => void;
};

/** What can be done with a campaign, on narrow screens. */
export function CampaignMenu(props: Props): ReactNode {
  const { campaign, mayManage, target, onReport, onEdit, onAsk } = props;
  const { t } = useTranslation();
  const { status } = campaign;
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {mayManage && status === "EM_ANDAMENTO" ? (
          <Menu.Item leftSection={<IconSquare {...icon} />} onClick={() => onAsk("stop")}>
            {t("campaigns.ask.stop.confirm")}
          </Menu.Item>
        ) : null}
        {mayManage && status === "CANCELADA" ? (
          <Menu.Item leftSection={<IconRefresh {...icon} />} onClick={() => onAsk("restart")}>
            {t("campaigns.ask.restart.confirm")}
          </Menu.Item>
        ) : null}
        {onReport === null ? null : (
          <Menu.Item leftSection={<IconChartBar {...icon} />} onClick={onReport}>
            {t("campaigns.report")}
          </Menu.Item>
        )}
        {mayManage ? (
          <>
            <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
              {t("campaigns.edit")}
            </Menu.Item>
            {status === "EM_ANDAMENTO" ? null : (
              <Menu.Item
                color="bad"
                leftSection={<IconTrash {...icon} />}
                onClick={() => onAsk("delete")}
              >
                {t("common.deleteConfirm")}
              </Menu.Item>
            )}
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
