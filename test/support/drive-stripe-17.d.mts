import type { FollowedClient } from './driven-routes.ts';

export function driveStripe17(
  key: string,
  settings: { readonly host: string; readonly port: number; readonly protocol: 'http' },
  around: {
    readonly follow: (stripe: FollowedClient) => FollowedClient;
    readonly drain: () => Promise<void>;
  },
): Promise<void>;
