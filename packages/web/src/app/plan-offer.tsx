import type { Permission } from "@balcao/contract/permissions";
import { IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Link } from "../router/index.tsx";
import { useSession } from "../features/auth/index.ts";
import { buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/index.ts";
import { Page } from "../ui/page/page.tsx";
import { pages } from "./pages.ts";

/** The page of a feature that the plan lacks: what it does, and the way to the plans. */
export function PlanOffer({ permission }: { permission: Permission }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const page = pages.find((one) => one.permission === permission);
  const texts = permission === "integrations:manage" ? "integrations" : "api";
  return (
    <Page title={page === undefined ? "" : t(page.label)}>
      <EmptyState
        icon={page?.icon ?? IconLock}
        drawing="sheet"
        heading="h2"
        title={t("planOffer.notInPlan")}
        text={(["one", "two", "three"] as const)
          .map((point) => t(`planOffer.${texts}.${point}`))
          .join(" ")}
        action={
          can("invoices:pay") ? (
            <Link to="/subscription" {...buttonLook({})}>
              {t("planOffer.see")}
            </Link>
          ) : (
            <p className="bc-small">{t("planOffer.ask")}</p>
          )
        }
      />
    </Page>
  );
}
