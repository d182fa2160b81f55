import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { SimulatorChat, SimulatorConnection } from "@balcao/contract";
import { useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle, IconDeviceMobileOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { buttonLook } from "../../ui/button.tsx";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { useSession } from "../auth/index.ts";
import { useCustomers, useSimulatedConnections, useSimulatorEvents } from "./api.ts";
import { ConnectionCard, NetworkCard } from "./cards.tsx";
import { CustomerList } from "./customer-list.tsx";
import { Phone } from "./phone.tsx";
import classes from "./simulator-page.module.css";

const leftPanes = [
  { pane: "customers", label: "simulator.customers" },
  { pane: "settings", label: "simulator.network" },
] as const;
type LeftPane = (typeof leftPanes)[number]["pane"];

/**
 * The simulated chat network of the company: the user plays any customer. The address has the connection and the
 * customer, so that a reload or a second window shows the same.
 */
export function SimulatorPage(): ReactNode {
  const { t } = useTranslation();
  useSimulatorEvents();
  const { data: connections, error, isPending, refetch } = useSimulatedConnections();
  const [search, setSearch] = useSearchParams();
  const chosen =
    connections?.find(({ id }) => String(id) === search.get("connection")) ?? connections?.[0];

  return (
    <>
      <LiveNotice />
      {connections && chosen ? (
        <Simulator
          key={chosen.id}
          connections={connections}
          connection={chosen}
          phone={search.get("phone")}
          onChooseConnection={(id) => setSearch({ connection: String(id) })}
          onChoosePhone={(phone) =>
            setSearch({ connection: String(chosen.id), ...(phone === null ? {} : { phone }) })
          }
        />
      ) : (
        <Page title={t("simulator.title")}>
          {isPending && !error ? <ListSkeleton /> : null}
          {error && !connections ? (
            <LoadFailed icon={IconAlertTriangle} error={error} onRetry={() => void refetch()} />
          ) : null}
          {connections ? <NoConnection /> : null}
        </Page>
      )}
    </>
  );
}

function NoConnection(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  return (
    <EmptyState
      icon={IconDeviceMobileOff}
      drawing="talk"
      title={t("simulator.noConnectionTitle")}
      text={t("simulator.noConnectionText")}
      action={
        can("connections:manage") ? (
          <Link to="/connections?new" {...buttonLook({ variant: "default" })}>
            {t("simulator.addConnection")}
          </Link>
        ) : undefined
      }
    />
  );
}

type Props = {
  connections: readonly SimulatorConnection[];
  connection: SimulatorConnection;
  phone: string | null;
  onChooseConnection: (connectionId: number) => void;
  onChoosePhone: (phone: string | null) => void;
};

function Simulator(props: Props): ReactNode {
  const { connections, connection, phone, onChooseConnection, onChoosePhone } = props;
  const { t } = useTranslation();
  const isNarrow = useMediaQuery("(max-width: 767px)", false, { getInitialValueInEffect: false });
  const [pane, setPane] = useState<LeftPane>("customers");
  const customer = useChosenCustomer(connection.id, phone);
  const [testPhone, setTestPhone] = useState<string | null>(null);
  return (
    <Page
      panes={isNarrow && phone !== null ? "alone" : "below"}
      title={t("simulator.title")}
      tools={
        <>
          <p className={classes["lead"]}>{t("simulator.lead")}</p>
          <PaneSwitch pane={pane} onChoose={setPane} />
        </>
      }
    >
      <div
        className={classes["body"]}
        data-pane={pane}
        data-phone={phone === null ? undefined : true}
      >
        <div className={classes["settings"]}>
          <ConnectionCard
            connections={connections}
            connection={connection}
            onChoose={onChooseConnection}
          />
          <NetworkCard connection={connection} />
        </div>
        <div className={classes["customers"]}>
          <CustomerList
            connectionId={connection.id}
            chosenPhone={phone}
            onChoose={(chosen) => onChoosePhone(chosen.phone)}
            onTest={(added) => {
              setTestPhone(added.phone);
              onChoosePhone(added.phone);
            }}
          />
        </div>
        <div className={classes["phone"]}>
          <Phone
            connection={connection}
            customer={customer}
            startsWriting={phone !== null && phone === testPhone}
            onBack={isNarrow ? () => onChoosePhone(null) : null}
          />
        </div>
      </div>
    </Page>
  );
}

/** Switches between two panes that share one column. */
function PaneSwitch(props: { pane: LeftPane; onChoose: (pane: LeftPane) => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["switch"]}>
      {leftPanes.map(({ pane, label }) => (
        <button
          key={pane}
          type="button"
          className={classes["chip"]}
          aria-pressed={pane === props.pane}
          onClick={() => props.onChoose(pane)}
        >
          {t(label)}
        </button>
      ))}
    </div>
  );
}

/** The customer of the address; until the list with the names is loaded, the phone number stands for the name. */
function useChosenCustomer(
  connectionId: number,
  phone: string | null,
): Pick<SimulatorChat, "phone" | "name" | "members"> | null {
  const { data } = useCustomers(connectionId, "");
  if (phone === null) return null;
  return (
    data?.find((customer) => customer.phone === phone) ?? { phone, name: `+${phone}`, members: [] }
  );
}
