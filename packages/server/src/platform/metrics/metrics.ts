import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

type RequestSample = { method: string; route: string; status: number; seconds: number };

/** The process's numbers for Prometheus. Other subsystems register their own on `registry`. */
export type Metrics = {
  registry: Registry;
  observeRequest(sample: RequestSample): void;
};

/** A registry of its own per call, so that several applications live in one test process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "balcao_http_request_seconds",
    help: "Duration of HTTP requests by route pattern",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  };
}
