import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccountId } from '@paymount/core/kernel';
import express from 'express';
import type { AdminApp } from './admin-app.ts';
import { postForm } from './ask.ts';
import { type BilledObjects, billedObjects } from './billed-objects.ts';
import { connectPlatform } from './connect-platform.ts';
import { contradictingNotice } from './contradicting-notice.ts';
import { makeKey } from './credentials.ts';
import { query } from './database.ts';
import { disputeOfCharge } from './disputed-charge.ts';
import { endedExpungeRequest } from './ended-expunge-request.ts';
import { openReplay } from './open-replay.ts';
import { contradictedOperation, lateOperation } from './reviewed-operations.ts';
import { erroredBankAccount, settlementDifference } from './settlement-objects.ts';
import { stuckClock } from './stuck-clock.ts';

type Environment = 'live' | 'test';

/** What one account has in one environment, as an admin sees it. */
export interface AdminBelongings extends BilledObjects {
  readonly account: string;
  readonly key: string;
  readonly keyToRotate: string;
  readonly keyToRevoke: string;
  /** The key itself, not yet reported. */
  readonly leakedKey: string;
  readonly charge: string;
  readonly platform: string;
  /** Of the platform. */
  readonly clientSecret: string;
  readonly grant: string;
  readonly endpoint: string;
  readonly endpointToDelete: string;
  readonly delivery: string;
  readonly event: string;
  /** It waits for an endpoint that is disabled. */
  readonly replay: string;
  /** It concerns no event. */
  readonly expungeRequest: string;
  /** It waits for a person. */
  readonly operation: string;
  /** It was answered after it was closed. */
  readonly lateOperation: string;
  /** It waits for a person. */
  readonly notice: string;
  /** Errored. */
  readonly bankAccount: string;
  readonly settlementDifference: string;
  /** A chargeback that is not decided. */
  readonly dispute: string;
  /** It stopped at a failure; in live it names nothing. */
  readonly stuckClock: string;
  readonly leak: string;
  readonly audit: string;
}

/** The prefixes of their ids. */
export const ADMIN_ID_PREFIXES: Readonly<Record<keyof AdminBelongings, string>> = {
  account: 'acct',
  key: 'key',
  keyToRotate: 'key',
  keyToRevoke: 'key',
  leakedKey: 'key',
  charge: 'ch',
  platform: 'ca',
  clientSecret: 'csec',
  grant: 'grt',
  endpoint: 'we',
  endpointToDelete: 'we',
  delivery: 'dlv',
  event: 'evt',
  replay: 'rpl',
  expungeRequest: 'expr',
  operation: 'op',
  lateOperation: 'op',
  notice: 'ntc',
  bankAccount: 'ba',
  settlementDifference: 'sd',
  dispute: 'dp',
  stuckClock: 'clock',
  leak: 'leak',
  audit: 'aud',
  subscriber: 'cus',
  subscription: 'sub',
  payable: 'in',
  issued: 'in',
  doubtful: 'in',
};

/** Sets what accounts have in both environments; `close()` it in `after`. */
export interface AdminSetup {
  belongings(account: AccountId, environment: Environment): Promise<AdminBelongings>;
  close(): Promise<void>;
}

/** @param app with a processor for live */
export async function adminSetup(app: AdminApp): Promise<AdminSetup> {
  const { paymount } = app;
  const servers: Server[] = [];
  const urls = {} as Record<Environment, string>;
  for (const environment of ['live', 'test'] as const) {
    const server = express().use(paymount.router({ environment })).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    urls[environment] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  /** Nobody listens there, so that each delivery waits for its second attempt. */
  const hook = { url: 'https://127.0.0.1:8443/hook', enabled_events: ['*'] } as const;

  async function belongings(account: AccountId, environment: Environment) {
    const acting = { account, environment };
    const newKey = () => makeKey(paymount, account, { environment });
    const [key, keyToRotate, keyToRevoke, leaked, reported] = [
      await newKey(),
      await newKey(),
      await newKey(),
      await newKey(),
      await newKey(),
    ];
    const endpoint = await paymount.webhookEndpoints.create(acting, hook);
    const endpointToDelete = await paymount.webhookEndpoints.create(acting, hook);
    const connected = await connectPlatform(paymount, account, environment);
    const post = async (path: string, form: string): Promise<string> => {
      const reply = await postForm(urls[environment] + path, form, { key: key.secret });
      if (reply.status !== 200) throw new Error(`POST ${path}: ${reply.text}`);
      return String(reply.json['id']);
    };
    const sale = async (): Promise<string> => {
      const method = await post('/payment_methods', 'type=card&card[token]=tok_visa');
      return post('/charges', `amount=100&currency=eur&payment_method=${method}`);
    };
    const charge = await sale();
    // Funds that stay when the chargeback below has taken its own.
    await sale();
    await query(
      app.databaseUrl,
      'UPDATE paymount.balance_transactions SET available_on = created WHERE account_id = $1',
      [account],
    );
    await app.worker.drain();
    await paymount.leaks.report([{ credential: reported.secret, source: 'test' }]);
    const newest = async (list: string): Promise<string> => {
      const query = `account=${account}&livemode=${environment === 'live'}&limit=1`;
      const { json } = await app.admin(`/${list}?${query}`);
      return String((json['data'] as { id: string }[])[0]?.id);
    };
    const billed = await billedObjects(post);
    return {
      ...billed,
      account,
      key: key.id,
      keyToRotate: keyToRotate.id,
      keyToRevoke: keyToRevoke.id,
      leakedKey: leaked.secret,
      charge,
      platform: connected.platform,
      clientSecret: connected.clientSecret,
      grant: await newest('grants'),
      endpoint: endpoint.id,
      endpointToDelete: endpointToDelete.id,
      delivery: await newest('deliveries'),
      event: await newest('events'),
      leak: await newest('leaks'),
      audit: await newest('audit'),
      operation: await contradictedOperation(app, acting),
      lateOperation: await lateOperation(app, acting),
      notice: await contradictingNotice(app, acting, charge),
      bankAccount: await erroredBankAccount(app, acting),
      settlementDifference: await settlementDifference(app, acting, charge),
      dispute: await disputeOfCharge(app, acting, await sale()),
      stuckClock: await stuckClock(app, environment, { url: urls[environment], key: key.secret }),
      replay: await openReplay(app, { ...acting, url: hook.url }),
      expungeRequest: await endedExpungeRequest(app, acting),
    };
  }

  return {
    belongings,
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}
