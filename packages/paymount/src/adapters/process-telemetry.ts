import {
  context,
  createContextKey,
  metrics,
  type ObservableResult,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  type CounterName,
  type GaugeName,
  type GaugeReader,
  type HistogramName,
  type LabelsOf,
  METRICS,
  type SpanFacts,
  type Telemetry,
  withTimeout,
} from '@paymount/core/kernel';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A gauge that takes longer to read is left out. */
const READ_LIMIT_MS = 3_000;
/** The name under which the SDK of OpenTelemetry looks for it, in every copy of the API. */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** A value of any metric. */
interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

type Values = readonly Value[];
type Reader = () => Values | undefined | Promise<Values | undefined>;
type Add = (value: number, labels: Readonly<Record<string, string>>) => void;

/** What `paymount.metrics()` returns. */
export interface Metrics {
  /** For the header `Content-Type`. */
  readonly contentType: string;
  /** The text exposition format of Prometheus. */
  readonly text: string;
}

/**
 * Measures with prom-client, in a registry of its own, and with OpenTelemetry, through its API
 * alone: an SDK that the host started before gets the same metrics, and spans.
 */
export class ProcessTelemetry implements Telemetry {
  readonly #registry = new Registry();
  readonly #tracer: Tracer;
  readonly #adders = new Map<CounterName | HistogramName, Add>();
  readonly #readers = new Map<GaugeName, Set<Reader>>();
  readonly #stop: (() => void)[] = [];

  constructor() {
    this.#tracer = trace.getTracer('paymount');
    const meter = metrics.getMeter('paymount');
    const registers = [this.#registry];
    for (const metric of METRICS) {
      const { name, help } = metric;
      const described = { description: help, ...(name.endsWith('_seconds') && { unit: 's' }) };
      const labelNames = [...metric.labels];
      switch (metric.kind) {
        case 'counter': {
          const ours = new Counter({ name, help, labelNames, registers });
          const theirs = meter.createCounter(name, described);
          this.#adders.set(metric.name, (value, labels) => {
            ours.inc(labels, value);
            theirs.add(value, labels);
          });
          break;
        }
        case 'histogram': {
          const buckets = [...metric.buckets];
          const ours = new Histogram({ name, help, labelNames, buckets, registers });
          const advice = { explicitBucketBoundaries: buckets };
          const theirs = meter.createHistogram(name, { ...described, advice });
          this.#adders.set(metric.name, (value, labels) => {
            ours.observe(labels, value);
            theirs.record(value, labels);
          });
          break;
        }
        case 'gauge': {
          this.#readers.set(metric.name, new Set());
          const read = (): Promise<Values> => this.#read(metric.name);
          const gauge: Gauge = new Gauge({
            name,
            help,
            labelNames,
            registers,
            collect: async () => setValues(gauge, await read(), labelNames),
          });
          const theirs = meter.createObservableGauge(name, described);
          const observe = async (result: ObservableResult): Promise<void> => {
            for (const { value, labels } of await read()) result.observe(value, labels);
          };
          theirs.addCallback(observe);
          this.#stop.push(() => theirs.removeCallback(observe));
        }
      }
    }
  }

  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    this.#adders.get(name)?.(by, labels);
  }

  observe<Name extends HistogramName>(name: Name, value: number, labels: LabelsOf<Name>): void {
    this.#adders.get(name)?.(value, labels);
  }

  watch<Name extends GaugeName>(name: Name, read: GaugeReader<Name>): () => void {
    const readers = this.#readers.get(name);
    readers?.add(read);
    return () => readers?.delete(read);
  }

  span<Value>(
    name: string,
    facts: SpanFacts,
    work: (add: (facts: SpanFacts) => void) => Promise<Value>,
  ): Promise<Value> {
    return this.#tracer.startActiveSpan(name, { attributes: facts }, async (span) => {
      try {
        return await work((more) => span.setAttributes(more));
      } catch (error) {
        // Its message may hold what a receiver or a processor said.
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  untraced<Value>(work: () => Value): Value {
    return context.with(context.active().setValue(SUPPRESS_TRACING, true), work);
  }

  /** All metrics of this process, with those of the installation. Never rejects. */
  async read(): Promise<Metrics> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** After this, gauges are not read any more. */
  close(): void {
    for (const readers of this.#readers.values()) readers.clear();
    for (const stop of this.#stop) stop();
  }

  async #read(name: GaugeName): Promise<Values> {
    const readers = [...(this.#readers.get(name) ?? [])];
    const read = await Promise.all(
      readers.map((reader) =>
        withTimeout(Promise.resolve().then(reader), READ_LIMIT_MS).catch(() => undefined),
      ),
    );
    return read.flatMap((samples) => samples ?? []);
  }
}

/** A gauge has only the values of this reading: what is unknown now is left out. */
function setValues(gauge: Gauge, values: Values, labelNames: readonly string[]): void {
  if (labelNames.length > 0) gauge.reset();
  else gauge.remove();
  for (const { value, labels } of values) gauge.set(labels, value);
}
