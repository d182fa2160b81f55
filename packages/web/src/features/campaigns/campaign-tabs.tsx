import type { Permission } from "@balcao/contract/permissions";
import type { ReactNode } from "react";
import type { PlainTextKey } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { NavLink } from "../../router/index.tsx";
import { useSession } from "../auth/index.ts";

type Tab = { path: string; label: PlainTextKey; permission: Permission };

/** In the order in which they stand. Each is a page of its own (`app/pages.ts`). */
const tabs: readonly Tab[] = [
  { path: "/campaigns", label: "campaigns.title", permission: "campaigns:use" },
  { path: "/contact-lists", label: "contactLists.title", permission: "contact-lists:manage" },
  { path: "/files", label: "fileLists.title", permission: "file-lists:manage" },
  { path: "/campaigns-config", label: "campaignTabs.settings", permission: "campaigns:manage" },
];

/** The pages of campaigns, below the title of each; those that plan or role lack are left out. */
export function CampaignTabs(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const shown = tabs.filter(({ permission }) => can(permission));
  if (shown.length < 2) return null;
  return (
    <nav className="bc-page-tabs" aria-label={t("campaignTabs.label")}>
      {shown.map(({ path, label }) => (
        <NavLink key={path} to={path}>
          {t(label)}
        </NavLink>
      ))}
    </nav>
  );
}
