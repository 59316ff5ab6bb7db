import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { request as undiciRequest } from 'undici';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A host that has started an SDK of OpenTelemetry before Paymount, as its documentation says. */
describe('OpenTelemetry', () => {
  const spans = new InMemorySpanExporter();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: measured,
    exportIntervalMillis: 3_600_000,
  });
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const meters = new MeterProvider({ readers: [reader] });
  const instrumentation = new UndiciInstrumentation();
  let app: TestApp;
  let receiver: Receiver;

  before(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(tracers);
    metrics.setGlobalMeterProvider(meters);
    instrumentation.setTracerProvider(tracers);
    instrumentation.enable();
    receiver = await startReceiver();
    app = await startApp();
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    await app.paymount.webhookEndpoints.create(app.acting, endpoint);
    const body = 'amount=700&currency=eur&source=tok_visa';
    const charged = await ask(`${app.url}/v1/charges`, { key: app.secretKey, headers: FORM, body });
    expect(charged.status).to.equal(200);
    await receiver.waitFor(1);
    await app.worker.drain();
  });
  after(async () => {
    await app.close();
    await receiver.close();
    instrumentation.disable();
    await meters.shutdown();
    // Other files run in this process, too.
    for (const api of [context, propagation, trace, metrics]) api.disable();
  });

  it('gets a span for each call of a processor and for each attempt of a delivery', () => {
    const finished = spans.getFinishedSpans();
    const authorized = finished.find(({ name }) => name === 'paymount.processor.authorize');
    expect(authorized?.attributes).to.include({
      'paymount.environment': 'test',
      'paymount.attempt': 1,
      'paymount.outcome': 'approved',
    });
    const sent = finished.find(({ name }) => name === 'paymount.delivery.attempt');
    expect(sent?.attributes).to.include({
      'paymount.event_type': 'charge.succeeded',
      'paymount.attempt': 1,
      'paymount.outcome': 'succeeded',
    });
    expect(sent?.attributes['paymount.delivery']).to.match(/^dlv_/);
  });

  it('does not reach receivers, although its instrumentation marks other requests', async () => {
    const { body } = await undiciRequest(`${receiver.url}/other`);
    await body.dump();
    const [delivery, other] = receiver.requests;
    expect(other?.headers).to.have.property('traceparent');
    expect(delivery?.headers).not.to.have.property('traceparent');
    const names = spans.getFinishedSpans().map(({ name }) => name);
    expect(names.filter((name) => name === 'POST')).to.deep.equal([]);
  });

  it('gets the same metrics under the same names', async () => {
    await reader.forceFlush();
    const found = measured
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .filter(({ scope }) => scope.name === 'paymount')
      .flatMap((scope) => scope.metrics);
    const pointsOf = (name: string) =>
      found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    expect(
      pointsOf('paymount_delivery_attempts_total').map(({ attributes, value }) => ({
        ...attributes,
        value,
      })),
    ).to.deep.equal([{ outcome: 'succeeded', error: '', value: 1 }]);
    expect(pointsOf('paymount_database_reachable')[0]?.value).to.equal(1);
    const [duration] = pointsOf('paymount_delivery_attempt_seconds');
    expect(duration?.value).to.include({ count: 1 });
  });
});
