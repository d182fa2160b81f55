import type { AuditEntry } from "@balcao/contract";
import { auditSecret } from "@balcao/contract/audit-choices";
import type { TFunction } from "../../i18n/index.ts";

/** Fields with a name of their own; others are shown as the database calls them. */
const named = [
  ...(["name", "email", "number", "phone", "status", "state", "profile", "role_id"] as const),
  ...(["super", "all_ticket", "connection_id", "ticket_limit", "password_hash"] as const),
  ...(["queues", "color", "value", "kanban", "schedules", "holidays", "due_date"] as const),
  ...(["plan_id", "token", "wanted", "unlink_requested", "is_default", "channel"] as const),
  ...(["menu_changed_at", "draft_changed_at", "greeting_message", "reason", "ends_at"] as const),
  ...(["ended_at", "user_id", "contact_id", "queue_id", "scopes", "url", "events"] as const),
  ...(["secret", "prompt", "model", "api_key", "title", "text", "message", "granted"] as const),
  ...(["withheld", "tickets", "action", "format", "entries", "suspension_reason"] as const),
  ...(["recurrence", "unpaid", "time_zone", "complation_message"] as const),
  ...(["out_of_hours_message", "rating_message", "farewell_message"] as const),
  ...(["expires_inactive_message", "expires_ticket_minutes"] as const),
  ...(["time_use_bot_queues_minutes", "max_use_bot_queues"] as const),
  ...(["time_to_transfer_minutes", "transfer_queue_id", "prompt_id", "integration_id"] as const),
  ...(["order_queue", "first_answer_minutes", "next_answer_minutes", "file_name"] as const),
  ...(["assignment", "key", "tag_id", "resolves", "reason_id", "stopped_at", "type"] as const),
  ...(["kind", "project_name", "language", "base_url", "voice", "max_tokens"] as const),
  ...(["temperature", "max_messages", "day_tokens", "ticket_tokens", "use_knowledge"] as const),
  ...(["transcription_model", "helps", "transcribes", "day_sounds", "is_active"] as const),
  ...(["scheduled_at", "contact_list_id", "file_list_id", "answer_queue_id"] as const),
  ...(["answer_tag_id", "confirmation", "messages", "confirmations", "files", "host"] as const),
  ...(["users", "connections", "value_cents", "bank", "city", "pix", "priority"] as const),
  ...(["image_name", "description", "video", "mediaDays", "messageDays", "textPt"] as const),
  ...(["textEn", "textEs", "isTextSent", "officerName", "officerEmail"] as const),
  ...(["officerPhone", "isHeld", "consent", "way", "searchParam", "dateFrom"] as const),
  ...(["dateTo", "geral", "folder", "userId"] as const),
] as const;

export function fieldName(t: TFunction, name: string): string {
  const known = named.find((one) => one === name);
  return known === undefined ? name.replaceAll("_", " ") : t(`audit.fields.${known}`);
}

/** A value as people read it. A secret says that it was set. */
export function valueText(t: TFunction, value: unknown): string {
  if (value === undefined || value === null || value === "") return "—";
  if (value === auditSecret) return t("audit.secret");
  if (typeof value === "boolean") return value ? t("audit.yes") : t("audit.no");
  if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
    return value.join(", ");
  if (typeof value === "string") {
    return value === "enabled" || value === "true"
      ? t("audit.yes")
      : value === "disabled" || value === "desabled" || value === "false"
        ? t("audit.no")
        : value;
  }
  return JSON.stringify(value);
}

/** The fields of both sides, in the order of their names. */
export function shownFields({ before, after }: Pick<AuditEntry, "before" | "after">) {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].toSorted().map((name) => ({
    ...{ name, before: before?.[name], after: after?.[name] },
  }));
}

/** "Ana mudou o usuário João": who did what to which thing. */
export function sentenceOf(
  t: TFunction,
  { actor, action, kind, objectId, label }: AuditEntry,
  settingLabel: (key: string) => string,
): string {
  const who = actor.kind === "system" ? t("audit.product") : actor.name || t("audit.nobody");
  // The name of a deleted company is gone.
  const name = label === "" && kind === "company" ? `nº ${objectId}` : label;
  const thing = kind === "setting" ? settingLabel(label) : name;
  const joint = kind === "person" ? ": " : " ";
  const what = `${t(`audit.things.${kind}`)}${thing === "" ? "" : `${joint}${thing}`}`;
  return t(`audit.said.${action}`, { who, what });
}
