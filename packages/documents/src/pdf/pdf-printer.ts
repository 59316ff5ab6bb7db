import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type AccountId, PaymountError } from '@paymount/core/kernel';
import type { PdfAnswer, PdfRequest } from './pdf-request.ts';

/** Files of TrueType or OpenType fonts. */
export interface PdfFonts {
  /** The path of the file for most texts. */
  readonly regular: string;
  /** That for what stands out. @defaultValue `regular` */
  readonly bold?: string;
}

/** The most papers that wait; each is drawn in a fraction of a second. */
const MAX_WAITING = 50;
/** Of one account, so that no account takes all places. */
const MAX_OF_ACCOUNT = 20;
/** For a paper in the queue, and again for one that is drawn: the largest takes three seconds. */
const LIMIT_MS = 15_000;
/** The thread has about 40 MB, and takes a second to start again. */
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 256;
const CURE = 'Install the libraries for PDFs: npm install pdfkit dejavu-fonts-ttf';

interface Waiting {
  readonly request: PdfRequest;
  readonly accountId: AccountId;
  readonly bytes: Promise<Uint8Array>;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Draws PDFs in a thread of its own, one after another: fonts are read and compressed for tens of
 * milliseconds, in which this thread answers others. The thread starts with the first PDF, and ends when
 * there was none for a minute. A paper that fails or takes too long fails alone: the others wait for the
 * next thread.
 */
export class PdfPrinter {
  readonly #fonts: Required<PdfFonts>;
  readonly #program: string;
  /** By their requests as JSON, the oldest first; one of them is drawn. */
  readonly #waiting = new Map<string, Waiting>();
  /** When an account had its last turn since the queue was empty: accounts take turns. */
  readonly #turns = new Map<AccountId, number>();
  #drawn: { readonly name: string; readonly limit: NodeJS.Timeout } | undefined;
  #turn = 0;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param fonts @defaultValue DejaVu Sans: Latin, Greek, Cyrillic and many more scripts
   * @throws Error if a font or a library is missing; it says what to install
   */
  constructor(fonts?: PdfFonts) {
    const require = createRequire(import.meta.url);
    installed(() => require.resolve('pdfkit'));
    this.#fonts = fonts === undefined ? installed(() => builtInFonts(require)) : checked(fonts);
    this.#program = require.resolve('@paymount/documents/pdf-worker');
  }

  /**
   * Draws a paper. A caller who asks for one that waits already gets the same bytes.
   * @throws PaymountError `unavailable` if too many wait, all or of this account, or if it takes too long
   */
  print(request: PdfRequest, accountId: AccountId): Promise<Uint8Array> {
    const name = JSON.stringify(request);
    const same = this.#waiting.get(name);
    if (same !== undefined) return same.bytes;
    if (this.#isClosed || this.#waiting.size >= MAX_WAITING) return Promise.reject(busy());
    const others = [...this.#waiting.values()].filter((other) => other.accountId === accountId);
    if (others.length >= MAX_OF_ACCOUNT) return Promise.reject(busy());
    const waiting = toWaiting(request, accountId);
    const limit = setTimeout(() => this.#giveUp(name), LIMIT_MS).unref();
    void waiting.bytes.catch(() => undefined).then(() => clearTimeout(limit));
    this.#waiting.set(name, waiting);
    this.#drawNext();
    return waiting.bytes;
  }

  /** Ends the thread; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(busy(new Error('The service closes.')));
    this.#waiting.clear();
    await this.#endThread();
  }

  #drawNext(): void {
    if (this.#drawn !== undefined) return;
    clearTimeout(this.#idle);
    const turnOf = ({ accountId }: Waiting): number => this.#turns.get(accountId) ?? 0;
    const [next] = [...this.#waiting].toSorted(([, one], [, other]) => turnOf(one) - turnOf(other));
    if (next === undefined) {
      this.#turns.clear();
      this.#turn = 0;
      this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref();
      return;
    }
    const [name, { request, accountId }] = next;
    this.#turn += 1;
    this.#turns.set(accountId, this.#turn);
    this.#worker ??= this.#start();
    const late = (): void => this.#failed(new Error('A PDF took too long.'));
    this.#drawn = { name, limit: setTimeout(late, LIMIT_MS).unref() };
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      workerData: this.#fonts,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    const failed = (error: Error): void => {
      if (this.#worker === worker) this.#failed(error);
    };
    worker.on('message', (answer: PdfAnswer) => {
      if (this.#worker === worker) this.#answered(answer);
    });
    worker.on('error', failed);
    worker.on('exit', () => failed(new Error('The thread of PDFs ended.')));
    return worker;
  }

  #answered(answer: PdfAnswer): void {
    const drawn = this.#takeDrawn();
    if ('bytes' in answer) drawn?.resolve(answer.bytes);
    else drawn?.reject(new Error(`A PDF could not be drawn: ${answer.error}`));
    this.#drawNext();
  }

  /** The thread is of no use any more. */
  #failed(cause: Error): void {
    this.#takeDrawn()?.reject(busy(cause));
    void this.#endThread();
    this.#drawNext();
  }

  #takeDrawn(): Waiting | undefined {
    if (this.#drawn === undefined) return undefined;
    const { name, limit } = this.#drawn;
    this.#drawn = undefined;
    clearTimeout(limit);
    const drawn = this.#waiting.get(name);
    this.#waiting.delete(name);
    return drawn;
  }

  /** One that is drawn has a limit of its own. */
  #giveUp(name: string): void {
    if (this.#drawn?.name === name) return;
    this.#waiting.get(name)?.reject(busy(new Error('Too many PDFs were asked for.')));
    this.#waiting.delete(name);
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idle);
    clearTimeout(this.#drawn?.limit);
    this.#drawn = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function toWaiting(request: PdfRequest, accountId: AccountId): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const bytes = new Promise<Uint8Array>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { request, accountId, bytes, resolve, reject };
}

function busy(cause?: Error): PaymountError {
  return new PaymountError('unavailable', undefined, {
    retryAfterSeconds: 5,
    ...(cause && { cause }),
  });
}

function installed<Value>(find: () => Value): Value {
  try {
    return find();
  } catch (cause) {
    throw new Error(CURE, { cause });
  }
}

function builtInFonts(require: NodeJS.Require): Required<PdfFonts> {
  return {
    regular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
    bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  };
}

function checked({ regular, bold = regular }: PdfFonts): Required<PdfFonts> {
  for (const file of [regular, bold]) {
    if (!existsSync(file)) throw new Error(`\`invoices.fonts\`: there is no file ${file}.`);
  }
  return { regular, bold };
}
