import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { PaymountError } from '@paymount/core/kernel';
import type { PdfAnswer, PdfJob, PdfRequest } from './pdf-job.ts';

/** Files of TrueType or OpenType fonts. */
export interface PdfFonts {
  /** The path of the file for most texts. */
  readonly regular: string;
  /** That for what stands out. @defaultValue `regular` */
  readonly bold?: string;
}

/** The most papers that wait; each is drawn in a fraction of a second. */
const MAX_WAITING = 50;
/** The largest invoice takes less than a second. */
const LIMIT_MS = 15_000;
/** The thread has about 40 MB, and takes a second to start again. */
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 256;
const CURE = 'Install the libraries for PDFs: npm install pdfkit dejavu-fonts-ttf';

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Draws PDFs in a thread of its own, one after another: fonts are read and compressed for tens of
 * milliseconds, in which this thread answers others. The thread starts with the first PDF, and ends when
 * there was none for a minute.
 */
export class PdfPrinter {
  readonly #fonts: Required<PdfFonts>;
  readonly #program: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

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
   * Draws a paper.
   * @throws PaymountError `unavailable` if too many wait, or if it takes too long
   */
  print(request: PdfRequest): Promise<Uint8Array> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new PaymountError('unavailable', undefined, { retryAfterSeconds: 5 }));
    }
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => void this.#stop(worker, new Error('A PDF took too long.')),
        LIMIT_MS,
      );
      timer.unref();
      this.#waiting.set(id, { resolve, reject, timer });
      const job: PdfJob = { id, ...request };
      worker.postMessage(job);
    });
  }

  /** Ends the thread; safe to call twice. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker !== undefined) await this.#stop(worker, new Error('The service closes.'));
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      workerData: this.#fonts,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    worker.on('message', (answer: PdfAnswer) => this.#settle(answer));
    worker.on('error', (error) => void this.#stop(worker, error));
    worker.on('exit', () => void this.#stop(worker, new Error('The thread of PDFs ended.')));
    return worker;
  }

  #settle(answer: PdfAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if ('bytes' in answer) waiting.resolve(answer.bytes);
    else waiting.reject(new Error(`A PDF could not be drawn: ${answer.error}`));
    if (this.#waiting.size > 0) return;
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#idle = setTimeout(() => void this.#stop(worker, new Error('It was idle.')), IDLE_MS);
    this.#idle.unref();
  }

  /** What waits for this thread fails; the next PDF starts another one. */
  async #stop(worker: Worker, cause: Error): Promise<void> {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new PaymountError('unavailable', undefined, { retryAfterSeconds: 5, cause }));
    }
    this.#waiting.clear();
    await worker.terminate();
  }
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
