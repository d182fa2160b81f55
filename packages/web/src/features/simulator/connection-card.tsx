import type { SimulatorConnection } from "@balcao/contract";
import { Button, NativeSelect } from "@mantine/core";
import { IconChevronDown, IconLinkOff, IconQrcode, IconScan } from "@tabler/icons-react";
import { QRCodeSVG } from "qrcode.react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ConnectionPill, errorText } from "../../ui/index.ts";
import { useLinkAction } from "./api.ts";
import classes from "./cards.module.css";

type Props = {
  connections: readonly SimulatorConnection[];
  connection: SimulatorConnection;
  onChoose: (connectionId: number) => void;
};

/** Which connection the phones around here talk to, and its link with the company's own phone. */
export function ConnectionCard({ connections, connection, onChoose }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["card"]} aria-labelledby="simulator-connection">
      <header className={classes["head"]}>
        <h2 id="simulator-connection" className={classes["title"]}>
          {t("simulator.connection")}
        </h2>
        <ConnectionPill status={connection.status} />
      </header>
      <NativeSelect
        rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
        aria-label={t("simulator.connection")}
        value={connection.id}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
        data={connections.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      <LinkState connection={connection} />
    </section>
  );
}

function LinkState({ connection }: { connection: SimulatorConnection }): ReactNode {
  const { t } = useTranslation();
  const action = useLinkAction(connection);
  const failure =
    action.error === null ? null : (
      <p className={classes["failure"]} role="alert">
        {errorText(t, action.error)}
      </p>
    );
  if (connection.status === "qrcode" && connection.qrcode !== "") {
    return (
      <div className={classes["link"]}>
        <div className={classes["qr"]}>
          <QRCodeSVG
            value={connection.qrcode}
            size={176}
            marginSize={2}
            fgColor="currentColor"
            bgColor="transparent"
            title={t("simulator.qrTitle")}
            role="img"
          />
        </div>
        <p className={classes["text"]}>{t("simulator.qrText")}</p>
        <Button
          fullWidth
          loading={action.isPending}
          leftSection={<IconScan size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => action.mutate("scan")}
        >
          {t("simulator.scan")}
        </Button>
        {failure}
      </div>
    );
  }
  if (connection.linked) {
    return (
      <div className={classes["link"]}>
        <p className={classes["text"]}>
          {t(
            connection.status === "CONNECTED" ? "simulator.linkedText" : "simulator.linkedAwayText",
          )}
        </p>
        <Button
          variant="default"
          size="xs"
          loading={action.isPending}
          leftSection={<IconLinkOff size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => action.mutate("unlink")}
        >
          {t("simulator.unlink")}
        </Button>
        {failure}
      </div>
    );
  }
  return (
    <div className={classes["link"]}>
      <p className={classes["text"]}>{t("simulator.unlinkedText")}</p>
      <Button
        variant="default"
        size="xs"
        loading={action.isPending}
        leftSection={<IconQrcode size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => action.mutate("newQr")}
      >
        {t("simulator.newQr")}
      </Button>
      {failure}
    </div>
  );
}
