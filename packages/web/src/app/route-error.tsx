import { Button } from "@mantine/core";
import {
  IconAlertTriangle,
  IconPlugConnectedX,
  IconRefresh,
  IconSparkles,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { isRouteErrorResponse, useRouteError } from "react-router";
import { useTranslation } from "../i18n/index.ts";
import { useLiveStatus } from "../realtime/index.ts";
import { EmptyState, MenuButton } from "../ui/index.ts";
import { NotFound } from "./not-found.tsx";
import classes from "./page.module.css";

/** What stands in place of a page that broke, with the way out of it. */
export function RouteError(): ReactNode {
  const { t } = useTranslation();
  const error = useRouteError();
  const { state } = useLiveStatus();
  useEffect(() => {
    reportError(error); // the boundary must not hide it from whoever watches the console or `error` events
  }, [error]);
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const { icon, text } = looks[kindOf(error, state === "offline" || !navigator.onLine)];
  return (
    <div className={classes["page"]} role="alert">
      <MenuButton />
      <EmptyState
        icon={icon}
        heading="h1"
        title={t(`common.${text}Title`)}
        text={t(`common.${text}Text`)}
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

const looks = {
  broken: { icon: IconAlertTriangle, text: "pageBroken" },
  offline: { icon: IconPlugConnectedX, text: "pageOffline" },
  outdated: { icon: IconSparkles, text: "newVersion" },
} as const;

/** Code that does not come is behind a network that is away; else an update of the product took it from the page still open. */
function kindOf(error: unknown, isOffline: boolean): keyof typeof looks {
  if (!(error instanceof Error)) return "broken";
  const isMissing = /dynamically imported module|module script failed|preload CSS/i;
  if (!isMissing.test(error.message)) return "broken";
  return isOffline ? "offline" : "outdated";
}
