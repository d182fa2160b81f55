import type { Integration } from "@balcao/contract";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Control, FieldPathByValue, FieldValues } from "react-hook-form";
import { useController } from "react-hook-form";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { liveList } from "../../realtime/live-list.ts";
import { batchPerFrame, onCompanyEvent } from "../../realtime/live.ts";
import { useSession } from "../auth/index.ts";
import { everyPage, promptList } from "./api.ts";

const integrationList = liveList<Integration, number>({
  key: ["integrations", "choices"],
  read: (signal) =>
    everyPage(async (pageNumber) => {
      const query = { pageNumber };
      const reply = await call("GET /queueIntegration", { query }, { signal });
      return { rows: reply.queueIntegrations, hasMore: reply.hasMore };
    }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
});

onCompanyEvent("queueIntegration", () => batchPerFrame(integrationList.readAgain));

type FirstAnswer = { promptId: number | null; integrationId: number | null };

/** The agent or integration of a queue or connection as the value of the field; "" for none. */
export function firstAnswerOf(of: FirstAnswer | null): string {
  if (of?.promptId) return `promptId ${of.promptId}`;
  return of?.integrationId ? `integrationId ${of.integrationId}` : "";
}

/** The ids to save for a value of the field. */
export function firstAnswerIds(value: string): FirstAnswer {
  const [field, id] = value.split(" ");
  return { promptId: null, integrationId: null, ...(field ? { [field]: Number(id) } : {}) };
}

type Props<Values extends FieldValues> = {
  control: Control<Values>;
  name: FieldPathByValue<Values, string>;
  description: string;
};

/** Who answers before a person: nobody, an AI agent or an integration. Absent where the plan has neither and none is set. */
export function FirstAnswerField<Values extends FieldValues>(props: Props<Values>): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const { field } = useController({ control: props.control, name: props.name });
  const mayAgents = can("prompts:list");
  const mayIntegrations = can("integrations:list");
  const agents = useQuery({ ...promptList.query, enabled: mayAgents }).data ?? [];
  const integrations = useQuery({ ...integrationList.query, enabled: mayIntegrations }).data ?? [];
  const value: string = field.value;
  if (!mayAgents && !mayIntegrations && value === "") return null;
  const choices = (key: keyof FirstAnswer, rows: readonly { id: number; name: string }[]) =>
    rows.map(({ id, name }) => ({ value: `${key} ${id}`, label: name }));
  const groups = [
    { group: t("prompts.title"), items: choices("promptId", agents) },
    { group: t("prompts.first.integrations"), items: choices("integrationId", integrations) },
  ].filter(({ items }) => items.length > 0);
  const isListed =
    value === "" || groups.some(({ items }) => items.some((one) => one.value === value));
  return (
    <NativeSelect
      {...field}
      value={value}
      label={t("prompts.first.label")}
      description={props.description}
      data={[
        { value: "", label: t("prompts.first.nobody") },
        // The list is being read, or the plan no longer has it.
        ...(isListed ? [] : [{ value, label: t("prompts.first.unlisted") }]),
        ...groups,
      ]}
    />
  );
}
