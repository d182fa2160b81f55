import type { Routes } from "../../platform/http/routes.ts";
import type { Attachments } from "./attachments.ts";
import type { ScheduleService } from "./service.ts";

export function registerScheduleRoutes(
  routes: Routes,
  { schedules, attachments }: { schedules: ScheduleService; attachments: Attachments },
): void {
  routes.handle("GET /schedules", ({ ctx, query }) => schedules.page(ctx, query));
  routes.handle("GET /schedules/:scheduleId", ({ ctx, params }) =>
    schedules.show(ctx, params.scheduleId),
  );
  routes.handle("POST /schedules", ({ ctx, body }) => schedules.create(ctx, body));
  routes.handle("PUT /schedules/:scheduleId", ({ ctx, params, body }) =>
    schedules.update(ctx, params.scheduleId, body),
  );
  routes.handle("DELETE /schedules/:scheduleId", async ({ ctx, params }) => {
    await schedules.remove(ctx, params.scheduleId);
    return { message: "Schedule deleted" };
  });
  routes.handle("POST /schedules/:scheduleId/media-upload", async ({ ctx, params, upload }) => {
    await attachments.attach(ctx, params.scheduleId, upload.files());
    return { mensagem: "Arquivo Anexado" };
  });
  routes.handle("DELETE /schedules/:scheduleId/media-upload", async ({ ctx, params }) => {
    await attachments.detach(ctx, params.scheduleId);
    return { mensagem: "Arquivo Excluído" };
  });
}
