import type { Prompt } from "@balcao/contract";
import { IconAlertTriangle, IconRobot } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { Suspense } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { NoticeStrip, QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Pill } from "../../ui/marks.tsx";
import { Page } from "../../ui/page/page.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import { KnowledgePage } from "../knowledge/index.ts";
import { useQueues } from "../queues/index.ts";
import { helpAt, momentOf, promptList, providerOf, stateOf, stateTones } from "./api.ts";
import classes from "./prompts.module.css";

const PromptDialog = lazyPart(
  async () => (await import("./prompt-dialog.tsx")).PromptDialog,
  "over",
  // With the texts of the trial; those of the form have come with the page.
  "provider",
);
const PromptRemoval = lazyPart(
  async () => (await import("./prompt-dialog.tsx")).PromptRemoval,
  "over",
  "admin",
);

const AiServicePage = lazyPart(
  async () => (await import("./ai-service.tsx")).AiServicePage,
  "page",
  "provider",
);

const TAB = "tab";
/** Each is a whole page, with the strip of tabs below its title. */
const pages = {
  agents: AgentsPage,
  help: AiServicePage,
  knowledge: KnowledgePage,
} as const satisfies Record<string, ComponentType<{ tabs: ReactNode }>>;
type Tab = keyof typeof pages;
const tabs = ["agents", "help", "knowledge"] as const satisfies readonly Tab[];
const permissionOf = (tab: Tab) => (tab === "knowledge" ? "knowledge:manage" : "prompts:manage");

/** What AI does for the company: its agents, the help for its own people, and what both know. */
export function PromptsPage(): ReactNode {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const { can } = useSession();
  // Supervisors have the knowledge base alone.
  const allowed = tabs.filter((one) => can(permissionOf(one)));
  const tab = allowed.find((one) => one === search.get(TAB)) ?? allowed[0] ?? "agents";
  const Shown = pages[tab];
  const strip =
    allowed.length < 2 ? null : (
      <nav className="bc-page-tabs" aria-label={t("prompts.title")}>
        {allowed.map((one) => (
          <Link
            key={one}
            to={one === "agents" ? "/prompts" : `/prompts?${TAB}=${one}`}
            aria-current={one === tab ? "page" : undefined}
          >
            {t(`prompts.tabs.${one}`)}
          </Link>
        ))}
      </nav>
    );
  return (
    <Suspense fallback={<Page title={t("prompts.title")}>{strip}</Page>}>
      <Shown tabs={strip} />
    </Suspense>
  );
}

/** The AI agents of the company: what each has used, and where it answers. */
function AgentsPage({ tabs: strip }: { tabs: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const queues = useQueues();
  return (
    <RecordPage
      texts="prompts"
      icon={IconRobot}
      address={address}
      pages={promptList.usePages(address.words, ({ name }) => name)}
      filters={
        <>
          {strip}
          <FaultStrips onOpen={address.openForm} />
        </>
      }
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("prompts.name"),
          renderCell: ({ name }) => <RowName name={name} />,
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "state",
          fit: "content",
          title: t("prompts.state"),
          renderCell: (prompt) => {
            const state = stateOf(prompt);
            return <Pill tone={stateTones[state]}>{t(`prompts.states.${state}`)}</Pill>;
          },
          sortBy: stateOf,
        },
        {
          id: "queue",
          title: t("prompts.queue"),
          renderCell: ({ queue }) => {
            const color = queues?.find(({ id }) => id === queue?.id)?.color;
            const dot = color === undefined ? null : <QueueDot color={color} />;
            return queue === null ? "—" : <RowName name={queue.name} before={dot} />;
          },
          sortBy: ({ queue }) => queue?.name ?? null,
        },
        {
          id: "model",
          isExtra: "wide",
          title: t("prompts.model"),
          renderCell: ({ model }) => model,
          sortBy: ({ model }) => model,
        },
        {
          id: "month",
          fit: "content",
          align: "end",
          title: t("prompts.month"),
          // Cards on narrow screens have no heads, and the budget says enough there.
          renderCell: ({ usedThisMonth }) => (
            <span className="bc-wide-only">{formatNumber(usedThisMonth.tokens)}</span>
          ),
          sortBy: ({ usedThisMonth }) => usedThisMonth.tokens,
          isLargestFirst: true,
        },
        {
          id: "budget",
          fit: "content",
          align: "end",
          title: t("prompts.dayBudget"),
          renderCell: (prompt) => (
            <>
              {budgetText(t, prompt)}
              {prompt.dayTokens === 0 ? null : (
                <span className="bc-narrow-only"> {t("prompts.tokensToday")}</span>
              )}
            </>
          ),
          sortBy: ({ usedToday, dayTokens }) => (dayTokens > 0 ? usedToday.tokens / dayTokens : 0),
          isLargestFirst: true,
        },
        {
          id: "usedBy",
          title: t("prompts.usedBy"),
          renderCell: ({ usedBy }) => placesOf(t, usedBy).join(", ") || t("prompts.nowhere"),
        },
      ]}
      renderForm={(prompt, onClose) => <PromptDialog prompt={prompt} onClose={onClose} />}
      renderRemoval={(prompt, onClose) => <PromptRemoval prompt={prompt} onClose={onClose} />}
    />
  );
}

function budgetText(t: TFunction, { usedToday, dayTokens }: Prompt): string {
  if (dayTokens === 0) return t("prompts.noBudget");
  const [used, total] = [formatNumber(usedToday.tokens), formatNumber(dayTokens)];
  return t("prompts.budgetOf", { used, total });
}

function placesOf(t: TFunction, { connections, queues }: Prompt["usedBy"]): string[] {
  return [
    ...connections.map(({ name }) => name),
    ...queues.map(({ name }) => t("prompts.ofQueue", { name })),
  ];
}

/** One strip for each fault of a provider: since when, and whom it concerns. */
function FaultStrips({ onOpen }: { onOpen: (id: number) => void }): ReactNode {
  const { t } = useTranslation();
  const { data = [] } = useQuery(promptList.query);
  const faulty = data.filter(({ fault }) => fault !== null);
  const byCause = Map.groupBy(faulty, ({ fault, baseUrl }) => `${fault} ${providerOf(baseUrl)}`);
  const strips = [...byCause].flatMap(([cause, agents]) => {
    const [first] = agents.toSorted((a, b) => (a.faultAt ?? "").localeCompare(b.faultAt ?? ""));
    if (first === undefined || first.fault === null || first.faultAt === null) return [];
    const { fault, baseUrl, faultAt } = first;
    const link = helpAt(baseUrl, fault);
    const names = agents.map(({ name }) => name).join(", ");
    const said = { provider: providerOf(baseUrl), since: momentOf(faultAt) };
    return [
      <NoticeStrip
        key={cause}
        tone={stateOf(first) === "stopped" ? "bad" : "warn"}
        icon={IconAlertTriangle}
        title={t(`prompts.faults.${fault}`, said)}
        action={{
          label: t("prompts.openAgent", { name: first.name }),
          onClick: () => onOpen(first.id),
        }}
      >
        {t("prompts.goesOn", { names })}{" "}
        {link === null ? null : (
          <a className={classes["help"]} href={link} target="_blank" rel="noopener noreferrer">
            {t("prompts.atProvider", { provider: said.provider })}
          </a>
        )}
      </NoticeStrip>,
    ];
  });
  return strips.length === 0 ? null : <div className={classes["strips"]}>{strips}</div>;
}
