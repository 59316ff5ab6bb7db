import { type Host, startHost } from '../host.ts';
import type { HostSettings } from '../host-messages.ts';
import type { Tally } from '../scenario.ts';

/** What a host process of the run is for. */
export type Role = 'api' | 'worker';

const BOOT_TRIES = 8;
const SHOWN_LINES = 30;

/** Where one process runs; when it dies another takes its place. */
class Slot {
  readonly role: Role;
  readonly settings: HostSettings;
  /** Absent while its process is dead or starts. */
  host: Host | undefined;
  booting: Promise<void> = Promise.resolve();

  constructor(settings: HostSettings) {
    this.role = settings.worker ? 'worker' : 'api';
    this.settings = settings;
  }
}

/** The host processes of the run. They die, stand still, and are started again. */
export class Fleet {
  readonly #slots: readonly Slot[];
  readonly #tally: Tally;
  readonly #hosts: Host[] = [];
  readonly #doomed = new Set<Host>();
  /** Processes that ended by themselves. */
  readonly violations: string[] = [];
  #shiftMs = 0;
  #isClosed = false;

  /** @param settings of each process; those with a worker are workers, the others serve the API */
  constructor(settings: readonly HostSettings[], tally: Tally) {
    this.#slots = settings.map((each) => new Slot(each));
    this.#tally = tally;
  }

  /** Starts all of them. */
  async start(): Promise<void> {
    for (const slot of this.#slots) this.#boot(slot);
    await this.booted();
  }

  /** Fulfilled when nothing is being started. @throws Error when a process cannot be started */
  async booted(): Promise<void> {
    await Promise.all(this.#slots.map(({ booting }) => booting));
  }

  /** Addresses of the API processes that run. */
  apis(): readonly string[] {
    return this.#slots.flatMap(({ role, host }) => (role === 'api' && host ? [host.url] : []));
  }

  /** Kills one process; another is started in its place while the run goes on. */
  async kill(role: Role, number: number): Promise<void> {
    const slot = this.#findSlot(role, number);
    await slot.booting;
    const { host } = slot;
    if (host === undefined) return;
    this.#doomed.add(host);
    slot.host = undefined;
    await host.kill();
    this.#boot(slot);
  }

  /** Ends one process as an operator would; another is started in its place. */
  async end(role: Role, number: number): Promise<void> {
    const slot = this.#findSlot(role, number);
    await slot.booting;
    const { host } = slot;
    if (host === undefined) return;
    this.#doomed.add(host);
    slot.host = undefined;
    await host.stop().catch((error: unknown) => {
      this.violations.push(`A process of ${role} did not end when asked to: ${String(error)}`);
      return host.kill();
    });
    this.#boot(slot);
  }

  /** Stops one process. @returns lets it go on */
  async freeze(role: Role, number: number): Promise<() => void> {
    const slot = this.#findSlot(role, number);
    await slot.booting;
    const { host } = slot;
    host?.freeze();
    return () => host?.thaw();
  }

  /** How far the clocks of all processes are ahead of the machine's. */
  get shiftMs(): number {
    return this.#shiftMs;
  }

  /** Moves the clocks of all processes on, and of those that start later. */
  async advance(ms: number): Promise<void> {
    this.#shiftMs += ms;
    await Promise.all(this.#slots.map(async ({ host }) => host?.advance(ms)));
  }

  /** Has one of the workers do all that is due by its clock. */
  async drain(): Promise<void> {
    await this.#slots.find(({ role, host }) => role === 'worker' && host)?.host?.drain();
  }

  output(): string {
    return this.#hosts.map((host) => host.output()).join('');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts) {
      this.#doomed.add(host);
      await host.kill();
    }
    await Promise.allSettled(this.#slots.map(({ booting }) => booting));
    await Promise.all(this.#hosts.map((host) => host.kill()));
  }

  #findSlot(role: Role, number: number): Slot {
    const slots = this.#slots.filter((slot) => slot.role === role);
    const slot = slots[number % slots.length];
    if (slot === undefined) throw new RangeError(`There is no ${role}.`);
    return slot;
  }

  #boot(slot: Slot): void {
    slot.booting = this.#started(slot);
    // Whoever waits for it is told; nobody may be waiting yet.
    slot.booting.catch(() => undefined);
  }

  /** A fault may hit a process that starts: an operator's supervisor starts it again. */
  async #started(slot: Slot): Promise<void> {
    for (let tries = 1; !this.#isClosed; tries += 1) {
      try {
        const host = await startHost({ ...slot.settings, shiftMs: this.#shiftMs });
        this.#hosts.push(host);
        slot.host = host;
        this.#watch(slot, host);
        return;
      } catch (error) {
        this.#tally.add('starts that failed');
        if (tries === BOOT_TRIES) throw error;
      }
    }
  }

  #watch(slot: Slot, host: Host): void {
    void host.ended.then(({ code, signal }) => {
      if (this.#doomed.has(host)) return;
      const last = host.output().trimEnd().split('\n').slice(-SHOWN_LINES).join('\n    ');
      this.violations.push(`A process of ${slot.role} ended by ${signal ?? code}:\n    ${last}`);
      slot.host = undefined;
      if (!this.#isClosed) this.#boot(slot);
    });
  }
}
