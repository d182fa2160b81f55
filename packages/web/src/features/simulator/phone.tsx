import type { SimulatorChat, SimulatorConnection } from "@balcao/contract";
import { Switch } from "@mantine/core";
import {
  IconAntennaBars5,
  IconBattery4,
  IconChevronLeft,
  IconDeviceMobile,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, EmptyState, IconButton } from "../../ui/index.ts";
import { Conversation } from "./conversation.tsx";
import { formatPhone } from "./api.ts";
import classes from "./phone.module.css";

const READING_KEY = "balcao.simulator.reading";
const CLOCK_MS = 10_000;

type Props = {
  connection: SimulatorConnection;
  /** The customer who holds the phone; null if none is chosen. */
  customer: Pick<SimulatorChat, "phone" | "name" | "members"> | null;
  /** Focuses the text field. */
  startsWriting: boolean;
  /** Back to the customers, if only the phone is shown. */
  onBack: (() => void) | null;
};

/** The customer's phone with the conversation with the company. */
export function Phone({ connection, customer, startsWriting, onBack }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["device"]} aria-label={t("simulator.phoneLabel")}>
      <div className={classes["screen"]}>
        <StatusBar />
        {customer === null ? (
          <div className={classes["lock"]}>
            <EmptyState
              icon={IconDeviceMobile}
              title={t("simulator.chooseTitle")}
              text={t("simulator.chooseText")}
            />
          </div>
        ) : (
          <OpenChat
            connection={connection}
            customer={customer}
            startsWriting={startsWriting}
            onBack={onBack}
          />
        )}
        <span className={classes["home"]} aria-hidden="true" />
      </div>
    </section>
  );
}

type OpenChatProps = Props & { customer: NonNullable<Props["customer"]> };

function OpenChat({ connection, customer, startsWriting, onBack }: OpenChatProps): ReactNode {
  const { t } = useTranslation();
  const [reads, setReads] = useState(() => localStorage.getItem(READING_KEY) !== "off");
  const chat = { connectionId: connection.id, phone: customer.phone };
  return (
    <>
      <header className={classes["head"]}>
        {onBack === null ? null : (
          <IconButton
            className={classes["back"] ?? ""}
            label={t("simulator.backToCustomers")}
            icon={IconChevronLeft}
            onClick={onBack}
          />
        )}
        <AppAvatar name={connection.name} id={`connection ${connection.id}`} size={36} />
        <div className="bc-fill">
          <p className={classes["name"]}>{connection.name}</p>
          <p className={classes["detail"]}>
            {t("simulator.youAre", { name: customer.name, phone: formatPhone(customer.phone) })}
          </p>
        </div>
      </header>
      <div className={classes["reading"]}>
        <Switch
          size="xs"
          checked={reads}
          label={t("simulator.readsAtOnce")}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            localStorage.setItem(READING_KEY, checked ? "on" : "off");
            setReads(checked);
          }}
        />
      </div>
      {connection.status === "CONNECTED" && connection.network.online ? null : (
        <p className={classes["note"]} role="status">
          {t(connection.network.online ? "simulator.waitsForLink" : "simulator.waitsForNetwork")}
        </p>
      )}
      <Conversation
        // The members of a group arrive with the list, later than the address.
        key={`${chat.connectionId} ${chat.phone} ${customer.members.length}`}
        chat={chat}
        members={customer.members}
        readsAtOnce={reads}
        startsWriting={startsWriting}
      />
    </>
  );
}

/** The status bar of the phone: the time and the icons. */
function StatusBar(): ReactNode {
  const [now, setNow] = useState(() => new Date().toISOString());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className={classes["status"]} aria-hidden="true">
      <span>{formatTime(now)}</span>
      <span>
        <IconAntennaBars5 size={15} stroke={1.7} />
        <IconBattery4 size={16} stroke={1.7} />
      </span>
    </div>
  );
}
