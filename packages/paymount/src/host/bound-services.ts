import type { Storage } from '@paymount/core/store';
import { type HostPorts, type HostServices, hostServices } from './host-services.ts';

/**
 * The services of a transaction. Other members of the mount are refused by name, so that JavaScript
 * hosts get a clear error.
 * @param storage joined to the transaction
 * @param mount the result of `createPaymount()`
 * @returns services that throw a TypeError for each other member of the mount
 */
export function boundServices(ports: HostPorts, storage: Storage, mount: object): HostServices {
  return new Proxy(hostServices(ports, storage), {
    get(services, name): unknown {
      if (name in mount && !(name in services)) {
        throw new TypeError(
          `\`using(transaction)\` has no \`${String(name)}\`: call \`paymount.${String(name)}\` outside ` +
            `the transaction. In it are ${Object.keys(services).join(', ')}.`,
        );
      }
      return Reflect.get(services, name);
    },
  });
}
