import { IconMapQuestion } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Link } from "../router/index.tsx";
import { buttonLook } from "../ui/button.tsx";
import { EmptyState } from "../ui/index.ts";
import { usePageTitle } from "../ui/page-title.ts";
import classes from "./page-states.module.css";

/** The page of an unknown address. */
export function NotFound(): ReactNode {
  const { t } = useTranslation();
  usePageTitle(t("common.notFoundTitle"));
  return (
    <main className={classes["page"]}>
      <EmptyState
        icon={IconMapQuestion}
        heading="h1"
        title={t("common.notFoundTitle")}
        text={t("common.notFoundText")}
        action={
          <Link to="/" {...buttonLook({ variant: "default" })}>
            {t("common.notFoundAction")}
          </Link>
        }
      />
    </main>
  );
}
