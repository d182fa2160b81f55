import type { Routes } from "../../platform/http/routes.ts";
import type { ConnectionService } from "./service.ts";

export function registerConnectionRoutes(routes: Routes, service: ConnectionService): void {
  routes.handle("GET /whatsapp", ({ ctx }) => service.list(ctx));
  routes.handle("GET /whatsapp/:connectionId", ({ ctx, params }) =>
    service.get(ctx, params.connectionId),
  );
  routes.handle("POST /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await service.start(ctx, params.connectionId);
    return { message: "Starting session." };
  });
  routes.handle("PUT /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await service.startUnlinked(ctx, params.connectionId);
    return { message: "Starting session." };
  });
  routes.handle("DELETE /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await service.disconnect(ctx, params.connectionId);
    return { message: "Session disconnected." };
  });
}
