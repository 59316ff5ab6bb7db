import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientAddresses, type Guard } from '@paymount/auth';
import {
  type Environment,
  type LogFacts,
  newId,
  noTelemetry,
  PaymountError,
  type Principal,
  type Scope,
  Secret,
} from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';
import {
  type Api,
  type ApiPorts,
  BytesInFlight,
  createApi,
  createFormSelector,
  type Services,
} from '@paymount/http';
import express, { type Express } from 'express';
import { createRouter } from '../../../packages/paymount/src/mount/router.ts';
import type { MountEnvironment } from '../../../packages/paymount/src/options/mount-environment.ts';
import { WorkInFlight } from '../../../packages/paymount/src/parts/work-in-flight.ts';
import { type FakeClock, fakeClock } from '../../support/clock.ts';
import { MemoryRows } from './memory-rows.ts';

export const ACCOUNT = newId('acct');
const KEY = newId('key');

/** What a service was asked to do. */
export interface Asked {
  readonly method: string;
  readonly id?: string;
  readonly input?: unknown;
  readonly filter?: unknown;
  readonly page?: unknown;
}

/** The API behind a real port, with services that record what reaches them. */
export interface MountedApi {
  readonly url: string;
  readonly asked: Asked[];
  readonly rows: MemoryRows;
  readonly clock: FakeClock;
  readonly lines: { level: string; facts: LogFacts; message: string }[];
  readonly api: Api;
  /** Principals by bearer; `sk` is a secret key of the account. */
  readonly principals: Map<string, Principal>;
  setClosing(): void;
  close(): Promise<void>;
}

export interface MountOptions {
  readonly environment?: MountEnvironment;
  readonly services?: Partial<Record<keyof Services, object>>;
  readonly sealer?: ApiPorts['sealer'];
  readonly resolver?: ApiPorts['resolver'];
  readonly guard?: Pick<Guard, 'authenticate'>;
  readonly bytes?: BytesInFlight;
  /** @defaultValue the router alone, at the root of an Express 5 app */
  readonly mount?: (router: ReturnType<typeof createRouter>) => Express;
}

export function toPrincipal(facts: {
  readonly scopes?: readonly Scope[];
  readonly keyType?: 'secret' | 'restricted' | 'publishable';
  readonly environment?: Environment;
}): Principal {
  return {
    kind: 'key',
    keyType: facts.keyType ?? (facts.scopes === undefined ? 'secret' : 'restricted'),
    keyId: KEY,
    snapshot: { keyId: KEY, keyVersion: 1, accountVersion: 1 },
    accountId: ACCOUNT,
    environment: facts.environment ?? 'test',
    scopes: facts.scopes === undefined ? 'all' : new Set(facts.scopes),
  };
}

export async function mountApi(options: MountOptions = {}): Promise<MountedApi> {
  const asked: Asked[] = [];
  const lines: MountedApi['lines'] = [];
  const clock = fakeClock('2026-11-21T09:30:00.000Z');
  const rows = new MemoryRows();
  const principals = new Map<string, Principal>([
    ['sk', toPrincipal({})],
    ['sk_live', toPrincipal({ environment: 'live' })],
    ['pk', toPrincipal({ keyType: 'publishable' })],
  ]);
  const inFlight = new WorkInFlight();
  const sealer = {
    seal: async (plain: string, context: string) => ({ sealed: `${context}|${plain}`, kid: 'k' }),
    open: async (sealed: string, context: string) => sealed.slice(context.length + 1),
  };
  const log = (level: string) => (facts: LogFacts, message: string) => {
    lines.push({ level, facts, message });
  };
  const api = createApi({
    ...recordingServices(asked, options.services ?? {}),
    idempotency: rows,
    resolver: options.resolver ?? { resume: async () => undefined },
    sealer: options.sealer ?? sealer,
    clock,
    fingerprintKey: new Secret(Buffer.alloc(32, 1)),
    logger: { error: log('error') },
  });
  const router = createRouter({
    environment: options.environment ?? 'test',
    requireTls: false,
    selectForm: createFormSelector({}),
    tls: { assert: () => undefined },
    clients: new ClientAddresses(),
    limits: { countRequest: () => undefined },
    usage: { record: () => undefined },
    urlLeaks: { note: () => undefined },
    warnOfProxies: () => undefined,
    guard: options.guard ?? buildGuard(principals),
    api,
    clock,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    telemetry: noTelemetry,
    inFlight,
    bytes: options.bytes ?? new BytesInFlight(),
  });
  const app = options.mount?.(router) ?? express().use(router);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    rows,
    clock,
    lines,
    api,
    principals,
    setClosing: () => void inFlight.close(),
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

function buildGuard(principals: ReadonlyMap<string, Principal>): Pick<Guard, 'authenticate'> {
  return {
    authenticate({ rawHeaders }) {
      const at = rawHeaders.findIndex((name) => name.toLowerCase() === 'authorization');
      const header = at === -1 ? undefined : rawHeaders[at + 1];
      if (header === undefined) throw new PaymountError('api_key_missing');
      const principal = principals.get(header.replace('Bearer ', ''));
      if (principal === undefined) throw new PaymountError('api_key_invalid');
      return principal;
    },
  };
}

/** Every charge method records its call and answers one charge, unless a test gives its own. */
function recordingServices(asked: Asked[], own: NonNullable<MountOptions['services']>): Services {
  const charge = async (method: string, id: string, input?: unknown): Promise<Charge> => {
    asked.push({ method, id, input });
    return buildCharge({});
  };
  const charges = {
    create: async (_: unknown, input: { amount?: number }) => {
      asked.push({ method: 'create', input });
      return buildCharge(input.amount === undefined ? {} : { amount: input.amount });
    },
    retrieve: (_: unknown, id: string) => charge('retrieve', id),
    update: (_: unknown, id: string, input: unknown) => charge('update', id, input),
    capture: (_: unknown, id: string, input: unknown) => charge('capture', id, input),
    cancel: (_: unknown, id: string) => charge('cancel', id),
    list: async (_: unknown, filter: unknown, page: unknown) => {
      asked.push({ method: 'list', filter, page });
      return { data: [buildCharge({})], hasMore: false };
    },
  };
  const refuse = new Proxy(
    {},
    {
      get: (_, method) => async () => {
        asked.push({ method: String(method) });
        throw new PaymountError('resource_missing');
      },
    },
  );
  return {
    charges,
    refunds: refuse,
    paymentMethods: refuse,
    balance: refuse,
    endpoints: refuse,
    events: refuse,
    ...own,
  } as unknown as Services;
}

const PAYMENT_METHOD = newId('pm');
const CHARGE = newId('ch');

export function buildCharge(facts: { readonly amount?: number }): Charge {
  return {
    id: CHARGE,
    version: 1,
    accountId: ACCOUNT,
    environment: 'test',
    amount: facts.amount ?? 4200,
    currency: 'eur',
    captureMethod: 'automatic',
    offSession: false,
    amountRefunded: 0,
    customerId: null,
    paymentMethodId: PAYMENT_METHOD,
    method: { type: 'card', card: CARD },
    processorToken: 'p_1',
    billingDetails: { name: null, email: null, phone: null, address: null },
    processorName: 'sandbox',
    description: null,
    statementDescriptor: null,
    receiptEmail: null,
    shipping: null,
    metadata: {},
    created: new Date('2026-11-21T09:30:00.000Z'),
    status: 'pending',
  };
}

export const CARD = {
  brand: 'visa',
  last4: '4242',
  expMonth: 12,
  expYear: 2030,
  fingerprint: 'f',
  funding: 'credit',
  country: 'US',
  checks: { cvcCheck: 'pass', addressPostalCodeCheck: null },
} as const;
