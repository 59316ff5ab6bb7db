import type { CounterName, GaugeName, HistogramName, LabelsOf } from './metrics.ts';

/** One value of a gauge. */
export interface Sample<Name extends GaugeName> {
  readonly value: number;
  readonly labels: LabelsOf<Name>;
}

/** Tells a gauge when it is read; undefined if the value is unknown now. */
export type GaugeReader<Name extends GaugeName> = () =>
  | readonly Sample<Name>[]
  | undefined
  | Promise<readonly Sample<Name>[] | undefined>;

/** Facts of a span: ids and words, never secrets or personal data. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/**
 * What a process measures and traces. No method throws, and none waits for the network: a host
 * without metrics and traces pays next to nothing.
 */
export interface Telemetry {
  /** Adds to a counter. @param by @defaultValue 1 */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Adds a value to a histogram. @param value in seconds */
  observe<Name extends HistogramName>(name: Name, value: number, labels: LabelsOf<Name>): void;
  /**
   * Registers who can tell a gauge when it is read. A gauge without an answer is left out.
   * @returns ends the registration
   */
  watch<Name extends GaugeName>(name: Name, read: GaugeReader<Name>): () => void;
  /**
   * Traces `work` as a span of that name. What `work` returns or throws goes to the caller.
   * @param facts the attributes of the span; `work` may add more through its parameter
   */
  span<Value>(
    name: string,
    facts: SpanFacts,
    work: (add: (facts: SpanFacts) => void) => Promise<Value>,
  ): Promise<Value>;
  /** Runs `work` so that no instrumentation traces it or adds headers to its requests. */
  untraced<Value>(work: () => Value): Value;
}

/** Measures nothing. */
export const noTelemetry: Telemetry = {
  count: () => undefined,
  observe: () => undefined,
  watch: () => () => undefined,
  span: (_name, _facts, work) => work(() => undefined),
  untraced: (work) => work(),
};
