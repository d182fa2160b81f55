import type { Connection } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError, notifyInfo } from "../../ui/index.ts";
import type { SessionAction } from "./connection-rules.ts";
import { refreshConnections, startSession } from "./live-connections.ts";

/** The connection whose code is on the screen; `mustStart` when a new code has to be asked for first. */
type Linking = { connectionId: number; mustStart: boolean };

/** What the buttons of a session do; disconnecting is asked for first. */
export function useSessionActions(onDisconnect: (connection: Connection) => void) {
  const { t } = useTranslation();
  const [linking, setLinking] = useState<Linking | null>(null);
  const again = useMutation({
    mutationFn: ({ id }: Connection) => startSession(id),
    onSuccess: (_, { name }) => {
      refreshConnections();
      notifyInfo(t("connections.starting", { name }));
    },
    onError: notifyError,
  });

  function act(connection: Connection, action: SessionAction): void {
    switch (action) {
      case "qr":
        setLinking({ connectionId: connection.id, mustStart: false });
        return;
      case "newQr":
        setLinking({ connectionId: connection.id, mustStart: true });
        return;
      case "tryAgain":
        again.mutate(connection);
        return;
      case "disconnect":
        onDisconnect(connection);
        return;
      case "connecting":
    }
  }

  return {
    act,
    linking,
    /** Waits for the code of a connection that is starting. */
    follow: (connectionId: number): void => setLinking({ connectionId, mustStart: false }),
    leaveLinking: (): void => setLinking(null),
    busyId: again.isPending ? again.variables.id : null,
    busyWith: "tryAgain" as const,
  };
}
