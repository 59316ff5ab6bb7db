import { setTimeout as wait } from 'node:timers/promises';
import type { Server, Verdict } from './server.ts';
import { machineMs } from './server-messages.ts';

/** A server that does not answer is not asked more at once. */
const MAX_WAITING = 4;
/** Of so many requests one is for a key out of focus. */
const FOCUS = 8;
const QUIET_LIMIT_MS = 15_000;

/** One answer. */
export interface Answer extends Verdict {
  readonly server: number;
  readonly key: string;
}

/** Asks every server once in so many milliseconds, with the keys in turn, and writes down the answers. */
export class Asker {
  /** The key that is asked about nearly always; absent: all take equal turns. */
  focus: string | undefined;
  readonly answers: Answer[] = [];
  readonly #servers: readonly Server[];
  readonly #everyMs: number;
  readonly #keys: string[] = [];
  readonly #errors: unknown[] = [];
  readonly #waiting: number[];
  /** Of each server: one that is not asked misses no key. */
  readonly #turns: number[];
  readonly #timer: NodeJS.Timeout;
  #nextMs = machineMs();

  constructor(servers: readonly Server[], everyMs: number) {
    this.#servers = servers;
    this.#everyMs = everyMs;
    this.#waiting = servers.map(() => 0);
    this.#turns = servers.map(() => 0);
    this.#timer = setInterval(() => this.#tick(), everyMs);
  }

  /** From now on these keys take turns with the others. */
  add(...keys: readonly string[]): void {
    this.#keys.push(...keys);
  }

  /** Asks no more, and waits for what is under way. @throws the first answer that made no sense */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const deadlineMs = machineMs() + QUIET_LIMIT_MS;
    while (this.#waiting.some((count) => count > 0) && machineMs() < deadlineMs) await wait(5);
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  /** A timer that came late makes good for what it missed, within reason. */
  #tick(): void {
    const nowMs = machineMs();
    this.#nextMs = Math.max(this.#nextMs, nowMs - 4 * this.#everyMs);
    for (; this.#nextMs <= nowMs; this.#nextMs += this.#everyMs) {
      for (const [index, server] of this.#servers.entries()) this.#ask(index, server);
    }
  }

  #next(index: number): string | undefined {
    const turn = (this.#turns[index] ?? 0) + 1;
    this.#turns[index] = turn;
    if (this.focus !== undefined && turn % FOCUS > 0) return this.focus;
    return this.#keys[turn % Math.max(1, this.#keys.length)];
  }

  #ask(index: number, server: Server): void {
    const waiting = this.#waiting[index] ?? 0;
    const key = waiting < MAX_WAITING ? this.#next(index) : undefined;
    if (key === undefined) return;
    this.#waiting[index] = waiting + 1;
    server
      .ask(key)
      .then((verdict) => this.answers.push({ ...verdict, server: index, key }))
      .catch((error: unknown) => this.#errors.push(error))
      .finally(() => {
        this.#waiting[index] = (this.#waiting[index] ?? 0) - 1;
      });
  }
}
