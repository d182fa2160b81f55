import "@mantine/core/styles/Tabs.layer.css";
import { Tabs } from "@mantine/core";
import { IconFile, IconPlugConnected } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { ListSkeleton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AfterFrame, Page } from "../../ui/page/page.tsx";
import { OPENAPI } from "./api.ts";
import classes from "./api.module.css";

const TokensTab = lazyPart(
  async () => (await import("./tokens.tsx")).TokensTab,
  "inline",
  "programs",
);
const ReferenceTab = lazyPart(
  async () => (await import("./reference.tsx")).ReferenceTab,
  "inline",
  "programs",
);
const WebhooksTab = lazyPart(
  async () => (await import("./webhooks.tsx")).WebhooksTab,
  "inline",
  "programs",
);
const McpDialog = lazyPart(async () => (await import("./mcp.tsx")).McpDialog, "over", "programs");
const CallsTab = lazyPart(async () => (await import("./calls.tsx")).CallsTab, "inline", "programs");

const TAB = "tab";
const tabs = ["tokens", "reference", "webhooks", "calls"] as const;

/** What other programs do with the product: their tokens, a trial, the reference, webhooks and the log of their calls. */
export function MessagesApiPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const [isMcpOpen, setMcpOpen] = useState(false);
  const tab = tabs.find((one) => one === search.get(TAB)) ?? "tokens";
  return (
    <Page
      title={t("api.title")}
      tools={
        <div className={classes["toolLinks"]}>
          <a className={classes["document"]} href={OPENAPI} target="_blank" rel="noreferrer">
            <IconFile size={17} stroke={1.7} aria-hidden="true" />
            OpenAPI
          </a>
          <button type="button" className={classes["document"]} onClick={() => setMcpOpen(true)}>
            <IconPlugConnected size={17} stroke={1.7} aria-hidden="true" />
            {t("api.mcp.title")}
          </button>
        </div>
      }
    >
      <Suspense fallback={null}>
        {isMcpOpen ? <McpDialog onClose={() => setMcpOpen(false)} /> : null}
      </Suspense>
      <Tabs
        className={classes["page"] ?? ""}
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          setSearch(next === null || next === "tokens" ? {} : { [TAB]: next }, { replace: true })
        }
      >
        <Tabs.List className={classes["tabs"] ?? ""}>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`api.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <AfterFrame fallback={<ListSkeleton rows={5} />}>
          <Tabs.Panel value="tokens" className={classes["panel"] ?? ""}>
            <TokensTab />
          </Tabs.Panel>
          <Tabs.Panel value="reference" className={classes["panel"] ?? ""}>
            <ReferenceTab />
          </Tabs.Panel>
          <Tabs.Panel value="webhooks" className={classes["panel"] ?? ""}>
            <WebhooksTab />
          </Tabs.Panel>
          <Tabs.Panel value="calls" className={classes["panel"] ?? ""}>
            <CallsTab />
          </Tabs.Panel>
        </AfterFrame>
      </Tabs>
    </Page>
  );
}
