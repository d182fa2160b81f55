import type { Campaign } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { cancelCampaign, deleteCampaign, restartCampaign } from "./list-api.ts";

export type CampaignAsk = { act: "stop" | "restart" | "delete"; campaign: Campaign };

const actions = { stop: cancelCampaign, restart: restartCampaign, delete: deleteCampaign } as const;

/** Asks before a campaign is stopped, goes on or is deleted. */
export function CampaignQuestion(props: CampaignAsk & { onClose: () => void }): ReactNode {
  const { act, campaign, onClose } = props;
  const { t } = useTranslation();
  const { waiting, asked, sending } = campaign.counts;
  const count = waiting + asked + sending;
  return (
    <ActionQuestion
      isDestructive={act === "delete"}
      title={t(`campaigns.ask.${act}.title`, { name: campaign.name })}
      text={
        act === "delete"
          ? t("campaigns.ask.delete.text")
          : t(`campaigns.ask.${act}.text`, { count })
      }
      confirm={t(`campaigns.ask.${act}.confirm`)}
      run={() => actions[act](campaign.id)}
      onDone={() => notifySuccess(t(`campaigns.ask.${act}.done`))}
      onClose={onClose}
    />
  );
}
