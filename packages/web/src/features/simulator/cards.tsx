import type { SimulatorConnection, SimulatorNetwork } from "@balcao/contract";
import { NativeSelect, Switch } from "@mantine/core";
import { IconChevronDown, IconLinkOff, IconQrcode, IconScan } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { ConnectionPill, errorText } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useLinkAction, useNetworkChange } from "./api.ts";
import classes from "./cards.module.css";

/** The library is large, and a code is rarely shown. */
const QrCode = lazyPart(async () => (await import("qrcode.react")).QRCodeSVG);

type Props = {
  connections: readonly SimulatorConnection[];
  connection: SimulatorConnection;
  onChoose: (connectionId: number) => void;
};

/** Chooses the simulated connection and shows its link with the company's phone. */
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
          <Suspense fallback={null}>
            <QrCode
              value={connection.qrcode}
              size={176}
              marginSize={2}
              fgColor="currentColor"
              bgColor="transparent"
              title={t("simulator.qrTitle")}
              role="img"
            />
          </Suspense>
        </div>
        <p className="bc-small">{t("simulator.qrText")}</p>
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
  const { linked } = connection;
  const linkedText =
    connection.status === "CONNECTED" ? "simulator.linkedText" : "simulator.linkedAwayText";
  const ActionIcon = linked ? IconLinkOff : IconQrcode;
  return (
    <div className={classes["link"]}>
      <p className="bc-small">{t(linked ? linkedText : "simulator.unlinkedText")}</p>
      <Button
        variant="default"
        size="xs"
        loading={action.isPending}
        leftSection={<ActionIcon size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => action.mutate(linked ? "unlink" : "newQr")}
      >
        {t(linked ? "simulator.unlink" : "simulator.newQr")}
      </Button>
      {failure}
    </div>
  );
}

/** Delays offered, in milliseconds; another value set by the API is offered beside them. */
const delays = [0, 500, 1_000, 3_000, 10_000, 30_000, 60_000];

const sendModes = [
  "deliver",
  "refuse",
  "silent",
  "disconnect",
  "unconfirmed",
] as const satisfies readonly SimulatorNetwork["sendMode"][];

const mediaModes = [
  "deliver",
  "fail-once",
  "gone",
] as const satisfies readonly SimulatorNetwork["mediaMode"][];

/** The switches of the simulated network. Changes apply at once. */
export function NetworkCard({ connection }: { connection: SimulatorConnection }): ReactNode {
  const { t } = useTranslation();
  const { network } = connection;
  const change = useNetworkChange(connection.id);
  const offered = [...new Set([...delays, network.delayMs])].sort((a, b) => a - b);
  const set = (part: Partial<SimulatorNetwork>): void => change.mutate(part);
  return (
    <section className={classes["card"]} aria-labelledby="simulator-network">
      <header className={classes["head"]}>
        <h2 id="simulator-network" className={classes["title"]}>
          {t("simulator.network")}
        </h2>
      </header>
      <NetworkSwitch
        isOn={network.online}
        label={t("simulator.online")}
        text={t(network.online ? "simulator.onlineOn" : "simulator.onlineOff")}
        onChange={(online) => set({ online })}
      />
      <NativeSelect
        rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
        label={t("simulator.delay")}
        value={network.delayMs}
        onChange={(event) => set({ delayMs: Number(event.currentTarget.value) })}
        data={offered.map((ms) => ({
          value: String(ms),
          label: ms === 0 ? t("simulator.noDelay") : t("simulator.seconds", { value: ms / 1000 }),
        }))}
      />
      <NativeSelect
        rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
        label={t("simulator.sendMode")}
        description={t(`simulator.sendModeText.${network.sendMode}`)}
        inputWrapperOrder={["label", "input", "description"]}
        value={network.sendMode}
        onChange={(event) => {
          const mode = sendModes.find((known) => known === event.currentTarget.value);
          if (mode) set({ sendMode: mode });
        }}
        data={sendModes.map((mode) => ({ value: mode, label: t(`simulator.sendModes.${mode}`) }))}
      />
      <NativeSelect
        rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
        label={t("simulator.mediaMode")}
        value={network.mediaMode}
        onChange={(event) => {
          const mode = mediaModes.find((known) => known === event.currentTarget.value);
          if (mode) set({ mediaMode: mode });
        }}
        data={mediaModes.map((mode) => ({
          value: mode,
          label: t(`simulator.mediaModes.${mode}`),
        }))}
      />
      <NetworkSwitch
        isOn={network.autoDeliver}
        label={t("simulator.autoDeliver")}
        text={t("simulator.autoDeliverText")}
        onChange={(autoDeliver) => set({ autoDeliver })}
      />
      <NetworkSwitch
        isOn={network.autoRead}
        label={t("simulator.autoRead")}
        text={t("simulator.autoReadText")}
        onChange={(autoRead) => set({ autoRead })}
      />
      {change.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, change.error)}
        </p>
      )}
    </section>
  );
}

type SwitchProps = {
  isOn: boolean;
  label: string;
  text: string;
  onChange: (isOn: boolean) => void;
};

function NetworkSwitch({ isOn, label, text, onChange }: SwitchProps): ReactNode {
  return (
    <Switch
      checked={isOn}
      label={label}
      // The library includes the description in the label; `aria-label` limits the name to the label.
      aria-label={label}
      description={text}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
