import { freshDatabase } from '../support/database.ts';
import { secretsIn } from '../support/secrets.ts';
import { type Host, startHost } from './host.ts';
import type { HostSettings } from './host-messages.ts';
import { type Merchant, openMerchant } from './merchant.ts';

/** A database, a merchant, and the host processes of one scenario. */
export interface Setting {
  readonly databaseUrl: string;
  readonly merchant: Merchant;
  /** Starts one more host process; it is ended with the setting at the latest. */
  start(options?: Partial<HostSettings>): Promise<Host>;
  /** What all host processes wrote. */
  output(): string;
  close(): Promise<void>;
}

/** Opens a setting on a database of its own. */
export async function openSetting(): Promise<Setting> {
  const database = await freshDatabase();
  const merchant = await openMerchant(database.url);
  const hosts: Host[] = [];
  return {
    databaseUrl: database.url,
    merchant,
    async start(options = {}) {
      const { sealingKeys } = merchant;
      const host = await startHost({ databaseUrl: database.url, sealingKeys, ...options });
      hosts.push(host);
      return host;
    },
    output: () => hosts.map((host) => host.output()).join(''),
    async close() {
      await Promise.all(hosts.map((host) => host.kill()));
      await merchant.close();
      await database.drop();
    },
  };
}

/**
 * Opens a setting, hands it to `use`, and closes it whatever happens.
 * @throws Error when a host process printed a secret
 */
export async function withSetting<Result>(
  use: (setting: Setting) => Promise<Result>,
): Promise<Result> {
  const setting = await openSetting();
  try {
    const result = await use(setting);
    const printed = secretsIn(setting.output());
    if (printed.length > 0) throw new Error(`A host printed ${printed.join(', ')}`);
    return result;
  } finally {
    await setting.close();
  }
}
