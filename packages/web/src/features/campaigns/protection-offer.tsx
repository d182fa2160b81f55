import { carefulCampaignSettings } from "@balcao/contract/campaign-choices";
import { IconShieldCheck } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import classes from "./protection-offer.module.css";
import { saveCampaignSettings, useCampaignSettings } from "./settings-api.ts";

/**
 * Offers the careful settings before a linked phone's first campaign, with the reason. Renders nothing once somebody has decided,
 * and for users who may not.
 */
export function ProtectionOffer(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const mayManage = can("campaigns:manage");
  const { settings } = useCampaignSettings({ enabled: mayManage });
  const decide = useMutation({
    mutationFn: (isWanted: boolean) =>
      saveCampaignSettings({ ...(isWanted ? careful() : {}), isDecided: true }),
    onSuccess: (_saved, isWanted) => {
      if (isWanted) notifySuccess(t("campaigns.offer.done"));
    },
  });
  if (!mayManage || settings === undefined || settings.isDecided) return null;
  return (
    <section className={classes["offer"]} aria-label={t("campaigns.offer.accept")}>
      <IconShieldCheck className={classes["icon"]} size={22} stroke={1.6} aria-hidden="true" />
      <div className={classes["text"]}>
        <h2 className={classes["title"]}>{t("campaigns.offer.title")}</h2>
        <p className="bc-small">{t("campaigns.offer.text")}</p>
        {decide.error === null ? null : (
          <p className="bc-failure" role="alert">
            {errorText(t, decide.error)}
          </p>
        )}
      </div>
      <div className={classes["buttons"]}>
        <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {t("campaigns.offer.decline")}
        </Button>
        <Button loading={decide.isPending} onClick={() => decide.mutate(true)}>
          {t("campaigns.offer.accept")}
        </Button>
      </div>
    </section>
  );
}

function careful() {
  const { hours, ...others } = carefulCampaignSettings;
  return { ...others, hours: { ...hours, weekdays: [...hours.weekdays] } };
}
