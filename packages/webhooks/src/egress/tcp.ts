import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { EgressError } from './egress-error.ts';

/** Takes each socket of a connect, to close it if the connect is canceled. */
export type HoldSocket = (socket: Socket) => void;

// Receivers on slow networks respond within this time; after it the next address is tried as well.
const NEXT_ADDRESS_AFTER_MS = 2_500;

/**
 * Opens a TCP connection.
 * @throws EgressError `connection`
 */
export function openTcp(options: TcpNetConnectOpts, hold: HoldSocket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...options,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      noDelay: true,
    });
    hold(socket);
    // Later errors close it, which its next user sees.
    socket.on('error', () => undefined);
    socket.once('close', () => reject(new EgressError('connection')));
    socket.once('connect', () => resolve(socket));
  });
}
