import { Turns } from './turns.ts';

/** One queue for each connection, as several `using()` share it; and one for each hook. */
const turnsOn = new WeakMap<object, Turns>();

/** The queue of a connection, or of the transaction that a hook was given, if there is one. */
export function knownTurns(on: object): Turns | undefined {
  return turnsOn.get(on);
}

/** The queue of a connection. */
export function turnsOf(connection: object): Turns {
  return turnsOn.get(connection) ?? newTurns(connection);
}

/** A queue of its own, from now on. */
export function newTurns(on: object): Turns {
  const turns = new Turns();
  turnsOn.set(on, turns);
  return turns;
}
