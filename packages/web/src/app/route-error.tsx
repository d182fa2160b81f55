import { Button } from "@mantine/core";
import { IconAlertTriangle, IconRefresh, IconSparkles } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { isRouteErrorResponse, useRouteError } from "react-router";
import { useTranslation } from "../i18n/index.ts";
import { EmptyState, MenuButton } from "../ui/index.ts";
import { NotFound } from "./not-found.tsx";
import classes from "./page.module.css";

/** What stands in place of a page that broke, with the way out of it. */
export function RouteError(): ReactNode {
  const { t } = useTranslation();
  const error = useRouteError();
  useEffect(() => {
    reportError(error); // the boundary must not hide it from whoever watches the console or `error` events
  }, [error]);
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const isOutdated = isMissingChunk(error);
  return (
    <div className={classes["page"]} role="alert">
      <MenuButton />
      <EmptyState
        icon={isOutdated ? IconSparkles : IconAlertTriangle}
        heading="h1"
        title={t(isOutdated ? "common.newVersionTitle" : "common.pageBrokenTitle")}
        text={t(isOutdated ? "common.newVersionText" : "common.pageBrokenText")}
        action={
          <Button
            onClick={() => window.location.reload()}
            leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
          >
            {t("common.reload")}
          </Button>
        }
      />
    </div>
  );
}

/** After an update of the product the chunks of the page still open are gone. */
function isMissingChunk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /dynamically imported module|module script failed|preload CSS/i.test(error.message);
}
