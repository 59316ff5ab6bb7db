import { loadSealingKeys } from '@paymount/auth';
import type { LeakService } from '@paymount/core/access';
import type { Environment } from '@paymount/core/kernel';
import type { Difference } from '@paymount/core/ledger';
import { type HealthJson, healthResource } from '@paymount/management';
import { pinoLogger } from './adapters/pino-logger.ts';
import { type Metrics, ProcessTelemetry } from './adapters/process-telemetry.ts';
import { redactingLogger } from './adapters/redacting-logger.ts';
import { connectRedis } from './adapters/redis.ts';
import { systemClock } from './adapters/system-clock.ts';
import { boundServices } from './host/bound-services.ts';
import { type HostAccess, hostAccess } from './host/host-access.ts';
import { type HostServices, hostServices } from './host/host-services.ts';
import { createRouters, type Routers } from './mount/create-routers.ts';
import { createMailer } from './options/create-mailer.ts';
import { assertKnownOptions } from './options/known-options.ts';
import type { PaymountOptions, PaymountStorageOptions } from './options/options.ts';
import type { HostTransaction } from './options/postgres-storage.ts';
import { requireAdapter } from './options/require-adapter.ts';
import { assertReady } from './parts/assert-ready.ts';
import { compose } from './parts/container.ts';
import type { BootParts, Parts } from './parts/parts.ts';
import { watchGauges } from './parts/watch-gauges.ts';
import { WorkInFlight } from './parts/work-in-flight.ts';

/** The notices of a file. */
export interface IngestedNotices {
  /** How many the file has. */
  readonly notices: number;
  /** How many of them were new. */
  readonly recorded: number;
}

/** The object that a host mounts. */
export interface Paymount extends HostServices, HostAccess, Routers {
  /**
   * The same services, bound to a transaction of the host: of knex, a pg client after `BEGIN`, or a
   * port to any other library.
   * @throws TypeError if it is not an open transaction
   */
  using(transaction: HostTransaction): HostServices;
  /** Leaked credentials: for your own scanners. */
  readonly leaks: LeakService;
  /**
   * Takes the notices of a file of the processor, such as a settlement report, from a job of the host:
   * stores each one, and applies it. Repeat it after an error; what is stored is left out.
   * @param file its bytes, for example a stream of `fs.createReadStream`
   * @throws PaymountError `operation_not_supported` if the adapter has no `ingest`;
   *   `notice_refused` with its cause if the adapter cannot read the file
   */
  ingest(environment: Environment, file: AsyncIterable<Uint8Array>): Promise<IngestedNotices>;
  /**
   * Checks that money, states and events agree, on one connection.
   * @returns the differences, at most 100 of each rule; empty if everything agrees
   */
  verify(): Promise<readonly Difference[]>;
  /**
   * The health of the installation and of this process, as `GET /health` of the management API
   * shows it. Takes at most 2 s, and never rejects: unreachable parts are reported.
   */
  health(): Promise<HealthJson>;
  /**
   * What this process has measured, for a Prometheus server: respond with `text` at a path that
   * only it can reach. Never rejects.
   */
  metrics(): Promise<Metrics>;
  /**
   * From now on refuses requests (503) and calls (`unavailable`), waits at most 10 s for running
   * ones and for work after a transaction of `using()`, and closes the opened connections; the
   * host's pool or knex stays open. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * The same in every copy of the package: a worker may come from the CommonJS build, a mount from
 * the other.
 */
const PARTS = Symbol.for('paymount.parts');

interface Assembled extends Paymount {
  readonly [PARTS]: Parts;
}

/** The parts behind a mount, for `paymount/worker` and the operators' commands. */
export function partsOf(paymount: Paymount): Parts {
  if (!isAssembled(paymount)) throw new TypeError('This was not made by createPaymount().');
  return paymount[PARTS];
}

function isAssembled(paymount: Paymount): paymount is Assembled {
  return PARTS in Object(paymount);
}

/**
 * Creates the payments service of one process. Wrong options, an unreachable database and an
 * incompatible schema throw here, before anything is mounted.
 * @throws Error if an option is wrong; the message says what to do
 * @throws Error if `sealingKeys` cannot open the stored secrets
 * @throws SchemaError if the schema is missing, not up to date, or of a newer breaking version
 * @throws DatabaseError if there is no connection, or the server cannot be used as it is
 */
export async function createPaymount(
  given: PaymountOptions | PaymountStorageOptions,
): Promise<Paymount> {
  assertKnownOptions('createPaymount()', given);
  const { sealingKeys, ...options } = given;
  const adapter = requireAdapter(options);
  const clock = options.clock ?? systemClock;
  const logger = redactingLogger(options.logger ?? pinoLogger());
  const ring = await loadSealingKeys({
    environment: 'test',
    clock,
    logger,
    ...(sealingKeys === undefined ? {} : { keys: sealingKeys }),
  });
  const mailer = await createMailer(options);
  // An option and not a method: a mount exists only on a schema that was checked.
  if (options.migrate === true) await adapter.migrate();
  const redis = options.redis === undefined ? undefined : await connectRedis(options.redis, logger);
  const telemetry = new ProcessTelemetry();
  const boot = { options, adapter, clock, logger, telemetry, ring, redis, mailer };
  const parts = await composed(boot);
  await ready(parts);
  watchGauges(parts);
  const inFlight = new WorkInFlight();
  const hostPorts = { ...parts, inFlight };
  let closing: Promise<void> | undefined;
  const paymount: Paymount = {
    ...hostServices(hostPorts, parts.stores.storage),
    ...hostAccess(parts, inFlight),
    ...createRouters(parts, inFlight),
    leaks: inFlight.calls(parts.leaks),
    using: (transaction) => boundServices(hostPorts, parts.stores.using(transaction), paymount),
    ingest: (environment, file) => inFlight.call(() => ingest(parts, environment, file)),
    verify: () => inFlight.call(() => parts.stores.verify()),
    health: async () => healthResource(await parts.checkHealth()),
    metrics: () => telemetry.read(),
    close: () => {
      closing ??= close(parts, inFlight);
      return closing;
    },
  };
  // Not enumerable, so that printing or copying a mount does not include them.
  return Object.defineProperty(paymount, PARTS, { value: parts });
}

async function ingest(
  { noticeInbox }: Parts,
  environment: Environment,
  file: AsyncIterable<Uint8Array>,
): Promise<IngestedNotices> {
  const { notices, recorded } = await noticeInbox.record(environment, { file });
  await noticeInbox.applyAll(recorded);
  return { notices, recorded: recorded.length };
}

/** After an error in an option, no connection stays open. */
async function composed(boot: BootParts): Promise<Parts> {
  try {
    return compose(boot);
  } catch (error) {
    await boot.redis?.close();
    throw error;
  }
}

/** After an error at startup, no connection stays open. */
async function ready(parts: Parts): Promise<void> {
  try {
    await assertReady(parts);
  } catch (error) {
    await close(parts, new WorkInFlight());
    throw error;
  }
}

async function close(parts: Parts, inFlight: WorkInFlight): Promise<void> {
  parts.api.close();
  parts.endings.close();
  await inFlight.close();
  parts.guard.close();
  parts.telemetry.close();
  const { wakeUps, usage, urlLeaks, accessChangeNotifications } = parts;
  await Promise.all([
    wakeUps?.close(),
    usage.close(),
    urlLeaks.close(),
    accessChangeNotifications.close(),
    parts.pdfs.close(),
  ]);
  await Promise.all([parts.stores.close(), parts.redis?.close()]);
}

export type { Environment };
