import type { SimulatorChat } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import { useAddCustomer } from "./api.ts";
import { madeUpName } from "./made-up-name.ts";

type Props = { connectionId: number; onAdded: (customer: SimulatorChat) => void };

/** Makes a throw-away customer with a free number, to try the saved automation for real. */
export function TestCustomerButton({ connectionId, onAdded }: Props): ReactNode {
  const { t } = useTranslation();
  const add = useAddCustomer(connectionId);
  return (
    <Button
      variant="default"
      leftSection={<IconFlask size={15} stroke={1.7} aria-hidden="true" />}
      loading={add.isPending}
      onClick={() =>
        add.mutate(
          { name: t("simulator.testName", { name: madeUpName() }) },
          { onSuccess: onAdded, onError: (error) => notifyError(errorText(t, error)) },
        )
      }
    >
      {t("simulator.testCustomer")}
    </Button>
  );
}
