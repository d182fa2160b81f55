import type { Routes } from "../../platform/http/routes.ts";
import type { ConnectionService } from "./service.ts";

export function registerConnectionRoutes(routes: Routes, service: ConnectionService): void {
  routes.handle("GET /whatsapp", ({ ctx }) => service.list(ctx));
  routes.handle("GET /whatsapp/:connectionId", ({ ctx, params }) =>
    service.get(ctx, params.connectionId),
  );
  routes.handle("POST /whatsapp", ({ ctx, body }) => service.create(ctx, body));
  routes.handle("PUT /whatsapp/:connectionId", ({ ctx, params, body }) =>
    service.update(ctx, params.connectionId, body),
  );
  routes.handle("DELETE /whatsapp/:connectionId", async ({ ctx, params }) => {
    await service.remove(ctx, params.connectionId);
    return { message: "Whatsapp deleted." };
  });
  routes.handle("POST /whatsapp-restart", async ({ ctx }) => {
    await service.restartAll(ctx);
    return { message: "Whatsapp restart." };
  });
  routes.handle("GET /connections-health", ({ ctx, query }) => service.health(ctx, query));
  routes.handle("POST /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await service.start(ctx, params.connectionId);
    return { message: "Starting session." };
  });
  routes.handle("PUT /whatsappsession/:connectionId", async ({ ctx, params, body }) => {
    await service.startUnlinked(ctx, params.connectionId, body.pairingPhone);
    return { message: "Starting session." };
  });
  routes.handle("DELETE /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await service.disconnect(ctx, params.connectionId);
    return { message: "Session disconnected." };
  });
}
