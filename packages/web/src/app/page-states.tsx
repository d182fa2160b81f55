import {
  IconAlertTriangle,
  IconPlugConnectedX,
  IconRefresh,
  IconSparkles,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Component, useEffect, useLayoutEffect } from "react";
import { MissingCode } from "../api/code-files.ts";
import { useTranslation } from "../i18n/index.ts";
import { useLiveStatus } from "../realtime/index.ts";
import { useLocation } from "../router/index.tsx";
import { announcePageLoading } from "../ui/after-shown.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState, MenuButton } from "../ui/index.ts";
import { PartMissing } from "../ui/lazy-part.tsx";
import { Loader } from "../ui/loader.tsx";
import classes from "./page-states.module.css";

/** Shows an error in place of a page that broke. Another address tries again. */
export function PageBoundary({ children }: { children: ReactNode }): ReactNode {
  return <Boundary address={useLocation().pathname}>{children}</Boundary>;
}

type BoundaryProps = { address: string; children: ReactNode };
type BoundaryState = { failure: { error: unknown } | null; address: string };

class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null, address: this.props.address };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps(
    { address }: BoundaryProps,
    state: BoundaryState,
  ): BoundaryState | null {
    return address === state.address ? null : { failure: null, address };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : <BrokenPage error={failure.error} />;
  }
}

/** The error of a page that broke, with a button to reload. */
function BrokenPage({ error }: { error: unknown }): ReactNode {
  const { t } = useTranslation();
  const { state } = useLiveStatus();
  useEffect(() => {
    reportError(error); // React keeps a caught error from the console and from `error` events
  }, [error]);
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

/** Code that cannot be loaded while online was replaced by an update of the product. */
function kindOf(error: unknown, isOffline: boolean): keyof typeof looks {
  const cause = error instanceof PartMissing ? error.cause : error;
  if (!(cause instanceof Error)) return "broken";
  const isMissing = /dynamically imported module|module script failed|preload CSS/i;
  if (cause instanceof MissingCode || isMissing.test(cause.message)) {
    return isOffline ? "offline" : "outdated";
  }
  return error instanceof PartMissing ? "offline" : "broken";
}

/** Shown while a page's code loads, after 150 ms. */
export function PageLoading(): ReactNode {
  const { t } = useTranslation();
  useLayoutEffect(announcePageLoading, []);
  return (
    <div className={classes["center"]}>
      <div className={classes["loading"]} role="status" aria-label={t("common.loading")}>
        <Loader sizePx={26} />
      </div>
    </div>
  );
}
