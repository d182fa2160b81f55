import "@mantine/core/styles/Tabs.layer.css";
import { Tabs } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import type { PlainTextKey } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { ListSkeleton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AfterFrame, Page } from "../../ui/page/page.tsx";
import classes from "./operation.module.css";

type OperationTab = {
  /** As the address names it: `/operation?tab=now`. */
  id: string;
  title: PlainTextKey;
  /** Loaded when the tab is opened. */
  Panel: ComponentType;
};

/** The tabs of the page in their order; the first one is open at first. */
const tabs: readonly OperationTab[] = [
  {
    id: "now",
    title: "operation.tabs.now",
    Panel: lazyPart(async () => (await import("./now-panel.tsx")).NowPanel, "inline", "operation"),
  },
  {
    id: "usage",
    title: "operation.tabs.usage",
    Panel: lazyPart(
      async () => (await import("./usage-panel.tsx")).UsagePanel,
      "inline",
      "operation",
    ),
  },
  {
    id: "backups",
    title: "operation.tabs.backups",
    Panel: lazyPart(
      async () => (await import("./backups-panel.tsx")).BackupsPanel,
      "inline",
      "operation",
    ),
  },
  {
    id: "security",
    title: "operation.tabs.security",
    Panel: lazyPart(
      async () => (await import("./security-panel.tsx")).SecurityPanel,
      "inline",
      "operation",
    ),
  },
  {
    id: "import",
    title: "operation.tabs.import",
    Panel: lazyPart(
      async () => (await import("./import-panel.tsx")).ImportPanel,
      "inline",
      "provider",
    ),
  },
];

/** What operates the whole installation, for super users. The open tab stands in the address. */
export function OperationPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const [first] = tabs;
  const open = tabs.find(({ id }) => id === search.get("tab"))?.id ?? first?.id ?? "";
  const openTab = (id: string | null): void =>
    setSearch(id === null || id === first?.id ? {} : { tab: id }, { replace: true });
  return (
    <Page title={t("shell.operation")}>
      <Tabs value={open} keepMounted={false} onChange={openTab}>
        <Tabs.List className={classes["tabs"] ?? ""}>
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {t(title)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, Panel }) => (
          <Tabs.Panel key={id} value={id} className={classes["panel"] ?? ""}>
            <AfterFrame fallback={<ListSkeleton rows={6} />}>
              <Panel />
            </AfterFrame>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
