import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useTranslation } from "../i18n/index.ts";
import { EmptyState } from "../ui/index.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { HOME } from "./guards.tsx";
import classes from "./page.module.css";

/** An address that is no page. */
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
          <Button component={Link} to={HOME} variant="default">
            {t("common.notFoundAction")}
          </Button>
        }
      />
    </main>
  );
}
