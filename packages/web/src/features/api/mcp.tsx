import { mcpTools } from "@balcao/contract/api-choices";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { CodeBlock, CopyButton, JsonText } from "../../ui/code-block.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { maskOf, MCP, rowsOf, useTokens } from "./api.ts";
import classes from "./api.module.css";
import { PLACEHOLDER, useChosenToken, useWholeToken } from "./trial.tsx";

/** How assistants are connected to the inbox by the Model Context Protocol, and what they can do there. */
export function McpDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data } = useTokens();
  const row = useChosenToken(rowsOf(data).filter(({ kind }) => kind !== "legacy"));
  const whole = useWholeToken(row);
  const address = location.origin + MCP;
  return (
    <DialogFrame opened title={t("api.mcp.title")} size={640} onClose={onClose}>
      <div className="bc-form">
        <p className="bc-small">{t("api.mcp.lead")}</p>
        <div className={classes["address"]}>
          <code>{address}</code>
          <CopyButton text={address} label={t("api.mcp.copyAddress")} />
        </div>
        <div className={classes["configuration"]}>
          <div className={classes["cardHead"]}>
            <h3 className={classes["habitsTitle"]}>{t("api.mcp.configuration")}</h3>
            <CopyButton
              isNamed
              text={configurationOf(address, whole ?? PLACEHOLDER)}
              label={t("api.mcp.copyConfiguration")}
            />
          </div>
          <div className={classes["code"]}>
            <CodeBlock label={t("api.mcp.configuration")}>
              <JsonText text={configurationOf(address, row === null ? PLACEHOLDER : maskOf(row))} />
            </CodeBlock>
          </div>
          {whole === null ? (
            <p className={classes["codeNote"]}>
              {t("api.code.placeholder", { word: PLACEHOLDER })}
            </p>
          ) : null}
        </div>
        <div>
          <h3 className={classes["habitsTitle"]}>{t("api.mcp.tools")}</h3>
          <p className="bc-small">{t("api.mcp.toolsHelp")}</p>
        </div>
        <ul className={classes["tools"]}>
          {mcpTools.map(({ name, scopes }) => (
            <li key={name}>
              <code>{name}</code>
              <span className={classes["toolScopes"]}>
                {scopes.map((scope) => (
                  <code key={scope} className={classes["scope"]}>
                    {scope}
                  </code>
                ))}
              </span>
              <span className={classes["toolText"]}>{t(`api.mcp.does.${name}`)}</span>
            </li>
          ))}
        </ul>
      </div>
    </DialogFrame>
  );
}

/** In the form that most assistants read. */
function configurationOf(url: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` };
  return JSON.stringify({ mcpServers: { balcao: { type: "http", url, headers } } }, null, 2);
}
