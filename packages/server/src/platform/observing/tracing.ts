import { channel } from "node:diagnostics_channel";
import type * as OpenTelemetry from "@opentelemetry/api";
import type { Attributes, Span } from "@opentelemetry/api";
import type * as OpenTelemetrySdk from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "../config/config.ts";
import type { Origin, Spans, Work } from "./work.ts";
import { recordSpans } from "./work.ts";

/** A stop waits so long for the last spans. */
const LAST_SPANS_MS = 3_000;

/**
 * Sends traces to an OpenTelemetry collector: works, statements by their name, and requests to other hosts. Spans have names,
 * codes and numbers; no values of statements, no addresses' paths, no texts. The libraries are loaded here only, so a process
 * without traces does not have them.
 */
export async function startTracing(
  config: TracingConfig,
  identity: { version: string; processId: string },
): Promise<{ close(): Promise<void> }> {
  const [api, { OTLPTraceExporter }, sdk, resources, { AsyncLocalStorageContextManager }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/context-async-hooks"),
    ]);
  const manager = new AsyncLocalStorageContextManager();
  api.context.setGlobalContextManager(manager.enable());
  const provider = new sdk.TracerProvider({
    sampler: samplerOf(sdk, config),
    resource: resources
      .detectResources({ detectors: [resources.resourceAttributesEnvDetector] })
      .merge(
        resources.resourceFromAttributes({
          "service.name": config.serviceName,
          "service.version": identity.version,
          "service.instance.id": identity.processId,
        }),
      ),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: config.url }),
        scheduledDelayMillis: config.everyMs,
      }),
    ],
  });
  const tracer = provider.getTracer("balcao");
  recordSpans(createSpans(api, tracer));
  const forget = watchRequests(api, tracer);
  return {
    async close() {
      recordSpans(null);
      forget();
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_SPANS_MS);
      });
      // A collector that is away must not hold the stop.
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
      api.context.disable();
    },
  };
}

type Api = typeof OpenTelemetry;
type Tracer = ReturnType<Api["trace"]["getTracer"]>;
type Sdk = typeof OpenTelemetrySdk;

/** As `OTEL_TRACES_SAMPLER` and its argument say. */
function samplerOf(sdk: Sdk, { sampler, samplerRatio }: TracingConfig) {
  const isByParent = sampler.startsWith("parentbased_");
  const name = sampler.replace("parentbased_", "");
  const root =
    name === "traceidratio"
      ? new sdk.TraceIdRatioBasedSampler(samplerRatio)
      : name === "always_off"
        ? new sdk.AlwaysOffSampler()
        : new sdk.AlwaysOnSampler();
  return isByParent ? new sdk.ParentBasedSampler({ root }) : root;
}

function createSpans(api: Api, tracer: Tracer): Spans {
  const { context, trace, SpanKind } = api;
  const kinds = {
    request: SpanKind.SERVER,
    message: SpanKind.CONSUMER,
    job: SpanKind.INTERNAL,
  } as const;
  return {
    begin(work, origin) {
      // A request begins its trace here; other works go on where they come from.
      const parent = (origin as ReturnType<typeof context.active> | undefined) ?? context.active();
      const options = { kind: kinds[work.kind], attributes: attributesOf(work) };
      const span = tracer.startSpan(work.name, options, parent);
      const inside = trace.setSpan(parent, span);
      return {
        within: (run) => context.with(inside, run),
        end({ error, status, companyId } = {}) {
          if (companyId !== undefined) span.setAttribute("balcao.company_id", companyId);
          if (status !== undefined) span.setAttribute("http.response.status_code", status);
          endSpan(api, span, error ?? (status !== undefined && status >= 500 ? status : undefined));
        },
      };
    },
    beginStatement(name) {
      const attributes = { "db.system.name": "postgresql", "db.query.summary": name };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
      return (error) => endSpan(api, span, error ?? undefined);
    },
    mark: (name) => void trace.getActiveSpan()?.addEvent(name),
    here: (): Origin | undefined => (trace.getActiveSpan() ? context.active() : undefined),
  };
}

function attributesOf({ kind, name, requestId, companyId }: Work): Attributes {
  return {
    "balcao.work": kind,
    ...(kind === "request" ? { "http.route": name.slice(name.indexOf(" ") + 1) } : {}),
    ...(requestId === undefined ? {} : { "balcao.request_id": requestId }),
    ...(companyId === undefined ? {} : { "balcao.company_id": companyId }),
  };
}

/** An error's message may name values: its kind and code are recorded. */
function endSpan({ SpanStatusCode }: Api, span: Span, error: unknown): void {
  if (error !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", errorCodeOf(error));
  }
  span.end();
}

/** The code of an error, or its class: never its text. */
export function errorCodeOf(error: unknown): string {
  if (typeof error === "number") return String(error);
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && /^\w{1,60}$/.test(code)) return code;
  return error.cause instanceof Error && error.name === "Error"
    ? errorCodeOf(error.cause)
    : error.name;
}

/** Records requests of `fetch` and of Node's client by host: Node says when one begins and ends. Returns how to stop. */
function watchRequests({ trace, context, SpanKind, ...api }: Api, tracer: Tracer): () => void {
  const open = new WeakMap<object, Span>();
  const begin = (request: object, method: string, host: string): void => {
    // Outside of a work nobody asks where the time went; a request inside of the exporter is suppressed by it.
    if (!trace.getSpan(context.active())) return;
    const attributes = { "http.request.method": method, "server.address": host };
    open.set(request, tracer.startSpan(`${method} ${host}`, { kind: SpanKind.CLIENT, attributes }));
  };
  const end = (request: object, { status, error }: { status?: number; error?: unknown }): void => {
    const span = open.get(request);
    if (!span) return;
    open.delete(request);
    if (status !== undefined) span.setAttribute("http.response.status_code", status);
    endSpan({ trace, context, SpanKind, ...api }, span, error);
  };
  type Undici = { request: { origin: string; method: string }; response?: { statusCode: number } };
  type Client = { request: object; response?: { statusCode?: number } };
  const listeners: Record<string, (message: never) => void> = {
    "undici:request:create": ({ request }: Undici) =>
      begin(request, request.method, new URL(request.origin).host),
    "undici:request:headers": ({ request, response }: Undici) =>
      end(request, { ...(response ? { status: response.statusCode } : {}) }),
    "undici:request:error": ({ request, error }: Undici & { error: unknown }) =>
      end(request, { error }),
    "http.client.request.created": ({ request }: Client) => {
      const { method, host } = request as { method?: string; host?: string };
      begin(request, method ?? "GET", host ?? "");
    },
    "http.client.response.finish": ({ request, response }: Client) =>
      end(request, response?.statusCode === undefined ? {} : { status: response.statusCode }),
    "http.client.request.error": ({ request, error }: Client & { error: unknown }) =>
      end(request, { error }),
  };
  const subscribed = Object.entries(listeners).map(([name, listener]) => {
    const heard = (message: unknown): void => listener(message as never);
    channel(name).subscribe(heard);
    return () => channel(name).unsubscribe(heard);
  });
  return () => {
    for (const unsubscribe of subscribed) unsubscribe();
  };
}
