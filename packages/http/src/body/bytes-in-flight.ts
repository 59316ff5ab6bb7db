import { PaymountError } from '@paymount/core/kernel';

/** How many bytes of bodies and answers may be in memory at the same time. */
export interface BytesInFlightLimits {
  /**
   * Of one caller: the keys of an account together, one grant of a platform, one admin or one user
   * of the dashboard. @defaultValue 67,108,864 (64 MiB: twelve of the largest files)
   */
  readonly perCaller?: number;
  /**
   * Of all callers of one account that share it: the grants of its platforms in one environment, or
   * its users of the dashboard. Its own keys are one caller, and nothing that others do takes theirs.
   * @defaultValue one and a half times `perCaller`, so that a single platform cannot take all of it
   */
  readonly perAccount?: number;
  /**
   * Of all callers of a process: live and test separately, and half of it each for admins and for
   * the dashboard. @defaultValue 268,435,456 (256 MiB)
   */
  readonly perProcess?: number;
}

const DEFAULTS = { perCaller: 67_108_864, perProcess: 268_435_456 } as const;

/**
 * Callers that share a limit of the process. Those of test cannot take what live needs, and visitors
 * with public keys, who may be anybody, cannot take what servers need.
 */
export type CallerPool =
  | 'live'
  | 'test'
  | 'admin'
  | 'dashboard'
  | 'live visitors'
  | 'test visitors';

/** Whose bytes are counted. */
export interface ByteHolder {
  readonly pool: CallerPool;
  /** Whose requests count together. */
  readonly caller: string;
  /** The account whose limit it shares with others. @defaultValue none: only its own limit counts */
  readonly account?: string;
}

/** What one request has in memory. */
export interface HeldBytes {
  /** @throws PaymountError `bytes_limit_reached` for the caller, `bodies_busy` for the process */
  take(bytes: number): void;
  /** Counts what must not be refused: the answer to a change that is done. */
  add(bytes: number): void;
  /** Gives back all that was taken. */
  release(): void;
}

/**
 * A request up to this size counts among small ones as long as there is room for them, so that
 * nobody's charge of a kilobyte is refused because others upload files.
 */
const SMALL_BYTES = 65_536;
/** The room for small requests, as a part of that for others. */
const SMALL_PART = 1 / 8;

/** The parts of the three limits that a pool has. */
interface PoolParts extends Readonly<Record<keyof BytesInFlightLimits, number>> {
  /** Whose small requests share a part of the room for small ones, and which part. */
  readonly smallOf: 'account' | 'caller';
  readonly smallPart: number;
}

const SERVERS: PoolParts = {
  perCaller: 1,
  perAccount: 1,
  perProcess: 1,
  smallOf: 'account',
  smallPart: 1 / 16,
};
const PEOPLE: PoolParts = { ...SERVERS, perProcess: 1 / 2 };
/**
 * A visitor sends a form with a card or a bank account, and never a file. Any visitor may be one who
 * wants to keep the others of a shop from paying, so each has room for a form of its own.
 */
const VISITORS: PoolParts = {
  perCaller: 1 / 16,
  perAccount: 1 / 4,
  perProcess: 1 / 4,
  smallOf: 'caller',
  smallPart: 1 / 128,
};
const POOLS: Readonly<Record<CallerPool, PoolParts>> = {
  live: SERVERS,
  test: SERVERS,
  admin: PEOPLE,
  dashboard: PEOPLE,
  'live visitors': VISITORS,
  'test visitors': VISITORS,
};

/** Those who share the limit of an account, as an error names them. */
const SHARERS: Readonly<Record<CallerPool, string>> = {
  live: 'platforms',
  test: 'platforms',
  admin: 'admins',
  dashboard: 'users',
  'live visitors': 'visitors',
  'test visitors': 'visitors',
};

/** The bytes of bodies and answers in this process. */
export class BytesInFlight {
  readonly #limits: Required<BytesInFlightLimits>;
  readonly #counts = new Map<string, number>();

  constructor({ perCaller, perAccount, perProcess }: BytesInFlightLimits = {}) {
    const ofCaller = perCaller ?? DEFAULTS.perCaller;
    this.#limits = {
      perCaller: ofCaller,
      perAccount: perAccount ?? ofCaller * 1.5,
      perProcess: perProcess ?? DEFAULTS.perProcess,
    };
  }

  /** Starts to count a request. */
  open(holder: ByteHolder): HeldBytes {
    const small = this.#smallRoom(holder);
    const large = this.#largeRoom(holder);
    let held = 0;
    let room = small;
    const moveTo = (next: Room, bytes: number): void => {
      room.add(-held);
      room = next;
      held += bytes;
      room.add(held);
    };
    return {
      take: (bytes) => {
        const isSmall = room === small && held + bytes <= SMALL_BYTES;
        if (isSmall && small.findFull(bytes) === undefined) {
          moveTo(small, bytes);
          return;
        }
        const full = large.findFull(room === large ? bytes : held + bytes);
        if (full !== undefined) throw full.refuse();
        moveTo(large, bytes);
      },
      add: (bytes) => moveTo(large, bytes),
      release: () => {
        room.add(-held);
        held = 0;
        room = small;
      },
    };
  }

  #largeRoom({ pool, caller, account }: ByteHolder): Room {
    const perCaller = this.#limits.perCaller * POOLS[pool].perCaller;
    const perAccount = this.#limits.perAccount * POOLS[pool].perAccount;
    const limits: RoomLimit[] = [
      { name: `${pool} caller ${caller}`, limit: perCaller, refuse: () => callerFull(perCaller) },
      { name: pool, limit: this.#totalOf(pool), refuse: processFull },
    ];
    if (account !== undefined) {
      const name = `${pool} account ${account}`;
      limits.push({ name, limit: perAccount, refuse: () => accountFull(pool, perAccount) });
    }
    return new Room(this.#counts, limits);
  }

  #smallRoom({ pool, caller, account }: ByteHolder): Room {
    const { smallOf, smallPart } = POOLS[pool];
    const limit = this.#totalOf(pool) * SMALL_PART;
    const isShared = smallOf === 'account' && account !== undefined;
    const share = isShared ? `account ${account}` : `caller ${caller}`;
    return new Room(this.#counts, [
      { name: `${pool} small ${share}`, limit: limit * smallPart, refuse: processFull },
      { name: `${pool} small`, limit, refuse: processFull },
    ]);
  }

  #totalOf(pool: CallerPool): number {
    return this.#limits.perProcess * POOLS[pool].perProcess;
  }
}

/** One limit of a room, and the error when it is reached. */
interface RoomLimit {
  readonly name: string;
  readonly limit: number;
  readonly refuse: () => PaymountError;
}

/** Bytes that count for a caller, for those it shares a limit with, and for the process. */
class Room {
  readonly #counts: Map<string, number>;
  readonly #limits: readonly RoomLimit[];

  constructor(counts: Map<string, number>, limits: readonly RoomLimit[]) {
    this.#counts = counts;
    this.#limits = limits;
  }

  /** The limit that more bytes would exceed. */
  findFull(bytes: number): RoomLimit | undefined {
    return this.#limits.find(({ name, limit }) => (this.#counts.get(name) ?? 0) + bytes > limit);
  }

  add(bytes: number): void {
    for (const { name } of this.#limits) {
      const sum = (this.#counts.get(name) ?? 0) + bytes;
      if (sum === 0) this.#counts.delete(name);
      else this.#counts.set(name, sum);
    }
  }
}

function callerFull(limit: number): PaymountError {
  const message = `Your requests and answers that are in progress would have more than ${limit} bytes.`;
  return new PaymountError('bytes_limit_reached', message);
}

function accountFull(pool: CallerPool, limit: number): PaymountError {
  const message = `The requests and answers of all ${SHARERS[pool]} of this account that are in progress would have more than ${limit} bytes.`;
  return new PaymountError('bytes_limit_reached', message);
}

function processFull(): PaymountError {
  return new PaymountError('bodies_busy');
}
