import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";

/** The tabs of the page of users: the people, and the roles they can have. */
export function UserTabs({ tab }: { tab: "users" | "roles" }): ReactNode {
  const { t } = useTranslation();
  return (
    <nav className="bc-page-tabs" aria-label={t("shell.users")}>
      <Link to="/users" aria-current={tab === "users" ? "page" : undefined}>
        {t("shell.users")}
      </Link>
      <Link to="/users?tab=roles" aria-current={tab === "roles" ? "page" : undefined}>
        {t("users.roles")}
      </Link>
    </nav>
  );
}
