import type { ApiToken } from "@balcao/contract";
import type { ApiScope, ApiTokenKind } from "@balcao/contract/api-choices";
import { apiTokenKinds } from "@balcao/contract/api-choices";
import { limits } from "@balcao/contract/limits";
import { IconKey, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useController } from "react-hook-form";
import type { Control } from "react-hook-form";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { agoWords } from "../../ui/ago-words.ts";
import { Button, buttonLook } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/code-block.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { notifySuccess } from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { RecordTable, RowName } from "../../ui/page/record-table.tsx";
import type { TokenRow } from "./api.ts";
import { createToken, maskOf, revokeToken, rowsOf, useTokens } from "./api.ts";
import classes from "./api.module.css";
import { TrialCards } from "./trial.tsx";

const CLOCK_MS = 20_000;
/** Unused for this long, a token is marked. */
const OLD_MS = 90 * 86_400_000;

/** The tokens, and a trial with one of them. */
export function TokensTab(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(CLOCK_MS);
  const { data, error, refetch } = useTokens();
  const [isAdding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<ApiToken | null>(null);
  const rows = rowsOf(data);
  const add = (): void => setAdding(true);
  return (
    <>
      <div className={classes["head"]}>
        <h2 className={classes["headTitle"]}>
          {t("api.tokens.title")}{" "}
          {rows.length === 0 ? null : <span className={classes["count"]}>{rows.length}</span>}
        </h2>
        <Button
          variant="default"
          leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
          onClick={add}
        >
          {t("api.tokens.create")}
        </Button>
      </div>
      <RecordTable
        label={t("api.tokens.title")}
        pages={{
          rows: data === undefined ? undefined : rows,
          isPrevious: false,
          count: rows.length,
          hasMore: false,
          isLoadingMore: false,
          error,
          loadMore: () => undefined,
          retry: () => void refetch(),
        }}
        sort={null}
        onSort={() => undefined}
        // Connections have numbers of their own.
        identify={(row) => (row.kind === "legacy" ? 0 - row.connection.connectionId : row.token.id)}
        columns={[
          {
            id: "name",
            title: t("api.tokens.name"),
            isName: true,
            renderCell: (row) => (
              <RowName
                name={
                  row.kind === "legacy" ? t("api.tokens.connection", { name: row.name }) : row.name
                }
                after={
                  <span className={classes["kind"]} data-kind={row.kind}>
                    {t(`api.tokens.kinds.${row.kind}`)}
                  </span>
                }
              />
            ),
          },
          {
            id: "token",
            title: t("api.tokens.token"),
            fit: "content",
            renderCell: (row) => <code className={classes["mono"]}>{maskOf(row)}</code>,
          },
          {
            id: "scopes",
            title: t("api.tokens.scopes"),
            renderCell: (row) => (
              <Scopes names={row.kind === "legacy" ? ["/api/messages/send"] : row.token.scopes} />
            ),
          },
          {
            id: "lastUse",
            title: t("api.tokens.lastUse"),
            renderCell: (row) => <LastUse row={row} nowMs={nowMs} />,
          },
        ]}
        renderActions={(row) =>
          row.kind === "legacy" ? (
            <Link
              to={`/connections?edit=${row.connection.connectionId}`}
              {...buttonLook({ variant: "subtle", size: "xs" })}
              aria-label={t("api.tokens.showOf", { name: row.name })}
            >
              {t("api.tokens.show")}
            </Link>
          ) : (
            <Button
              className={classes["revoke"]}
              variant="subtle"
              size="xs"
              aria-label={t("api.tokens.revokeOf", { name: row.name })}
              onClick={() => setRevoked(row.token)}
            >
              {t("api.tokens.revoke")}
            </Button>
          )
        }
        empty={{
          icon: IconKey,
          drawing: "sheet",
          title: t("api.tokens.none"),
          text: t("api.tokens.noneText"),
          action: <Button onClick={add}>{t("api.tokens.create")}</Button>,
        }}
      />
      <TrialCards rows={rows} onAdd={add} />
      {isAdding ? <TokenDialog onClose={() => setAdding(false)} /> : null}
      {revoked === null ? null : (
        <ActionQuestion
          isDestructive
          title={t("api.tokens.revokeTitle", { name: revoked.name })}
          text={t("api.tokens.revokeText", { last: lastUseWords(t, revoked, nowMs) })}
          confirm={t("api.tokens.revoke")}
          run={() => revokeToken(revoked)}
          onDone={() => notifySuccess(t("api.tokens.revoked", { name: revoked.name }))}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  );
}

/** As many as a row shows. */
const SCOPES_SHOWN = 2;

function Scopes({ names }: { names: readonly string[] }): ReactNode {
  const rest = names.slice(SCOPES_SHOWN);
  return (
    <span className={classes["scopes"]}>
      {names.slice(0, SCOPES_SHOWN).map((name) => (
        <code key={name} className={classes["scope"]}>
          {name}
        </code>
      ))}
      {rest.length === 0 ? null : (
        <code className={classes["scope"]} data-tip={rest.join(", ")} aria-label={rest.join(", ")}>
          +{rest.length}
        </code>
      )}
    </span>
  );
}

function LastUse({ row, nowMs }: { row: TokenRow; nowMs: number }): ReactNode {
  const { t } = useTranslation();
  const { lastUsedAt } = row.kind === "legacy" ? row.connection : row.token;
  const since = lastUsedAt ?? (row.kind === "legacy" ? null : row.token.createdAt);
  const isOld = since === null ? lastUsedAt === null : nowMs - Date.parse(since) > OLD_MS;
  const words =
    row.kind === "legacy"
      ? legacyUseWords(t, lastUsedAt, nowMs)
      : lastUseWords(t, row.token, nowMs);
  return (
    <span className={classes["lastUse"]} data-old={isOld || undefined}>
      {words}
    </span>
  );
}

function legacyUseWords(t: TFunction, lastUsedAt: string | null, nowMs: number): string {
  return lastUsedAt === null ? t("api.tokens.notLately") : agoWords(t, lastUsedAt, nowMs);
}

function lastUseWords(t: TFunction, token: ApiToken, nowMs: number): string {
  const { lastUsedAt, lastUsedFrom } = token;
  if (lastUsedAt === null) return t("api.tokens.never");
  const ago = agoWords(t, lastUsedAt, nowMs);
  return lastUsedFrom === null ? ago : t("api.tokens.from", { ago, address: lastUsedFrom });
}

/** What a token may read and change, by subject. */
const groups = [
  { name: "messages", scopes: ["messages:read", "messages:send", "messages:draft"] },
  { name: "contacts", scopes: ["contacts:read", "contacts:write"] },
  { name: "tickets", scopes: ["tickets:read", "tickets:write"] },
  { name: "tags", scopes: ["tags:read", "tags:write"] },
  { name: "queues", scopes: ["queues:read"] },
  { name: "templates", scopes: ["templates:read"] },
] as const satisfies readonly { name: string; scopes: readonly ApiScope[] }[];

type Values = { name: string; kind: ApiTokenKind; scopes: ApiScope[] };

/** Makes a token, and shows it once. */
function TokenDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const { dialog, ...form } = useRecordForm<Values, ApiToken & { token: string }>({
    id: null,
    values: { name: "", kind: "company", scopes: ["messages:send"] },
    save: (_id, { name, kind, scopes }) => createToken({ name: name.trim(), kind, scopes }),
    savedText: null,
    onSaved: setMade,
    onClose,
  });
  if (made !== null) {
    return (
      <DialogFrame opened title={t("api.made.title", { name: made.name })} onClose={onClose}>
        <div className="bc-form">
          <p className="bc-small">{t("api.made.text")}</p>
          <div className={classes["made"]}>
            <code className={classes["madeToken"]}>{made.token}</code>
            <CopyButton isNamed text={made.token} label={t("api.made.copy")} />
          </div>
          <div className="bc-actions">
            <Button data-autofocus onClick={onClose}>
              {t("api.made.done")}
            </Button>
          </div>
        </div>
      </DialogFrame>
    );
  }
  const min = limits.apiTokenNameMin;
  return (
    <FormDialog {...dialog} title={t("api.form.title")} submitLabel={t("api.tokens.create")}>
      <NameField
        {...form.register(
          "name",
          nameRule(t("api.form.nameRequired"), t("api.form.nameShort", { min }), min),
        )}
        label={t("api.tokens.name")}
        description={t("api.form.nameHelp")}
        error={form.errors.name?.message}
        maxLength={limits.apiTokenNameMax}
      />
      <SegmentedField
        control={form.control}
        name="kind"
        label={t("api.form.kind")}
        description={t("api.form.kindHelp")}
        choices={apiTokenKinds.map((value) => ({ value, label: t(`api.tokens.kinds.${value}`) }))}
      />
      <ScopeField control={form.control} />
    </FormDialog>
  );
}

function ScopeField({ control }: { control: Control<Values> }): ReactNode {
  const { t } = useTranslation();
  const { field, fieldState } = useController({
    control,
    name: "scopes",
    rules: { validate: (scopes) => scopes.length > 0 || t("api.form.scopesRequired") },
  });
  const chosen = field.value;
  const toggle = (scope: ApiScope): void =>
    field.onChange(
      chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope],
    );
  return (
    <fieldset className={classes["scopeField"]}>
      <legend>{t("api.tokens.scopes")}</legend>
      {groups.map(({ name, scopes }) => (
        <div
          key={name}
          className={classes["scopeRow"]}
          role="group"
          aria-label={t(`api.scopes.${name}`)}
        >
          <span>{t(`api.scopes.${name}`)}</span>
          {scopes.map((scope, index) => (
            <label key={scope} className={classes["scopeChoice"]}>
              <input
                type="checkbox"
                ref={name === "messages" && index === 0 ? field.ref : undefined}
                checked={chosen.includes(scope)}
                onChange={() => toggle(scope)}
              />
              {t(`api.scopes.${actionOf(scope)}`)}
            </label>
          ))}
        </div>
      ))}
      {fieldState.error === undefined ? null : (
        <p className="bc-failure" role="alert">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  );
}

function actionOf(scope: ApiScope): "read" | "send" | "draft" | "write" {
  if (scope.endsWith(":read")) return "read";
  if (scope === "messages:draft") return "draft";
  return scope === "messages:send" ? "send" : "write";
}
