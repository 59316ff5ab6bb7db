/** The program of the thread that draws PDFs: one after another, in the order in which they were asked for. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readTextProperty } from '@paymount/core/kernel';
import { type DrawnFonts, drawInvoice } from './draw-invoice.ts';
import type { PdfAnswer, PdfJob } from './pdf-job.ts';
import type { PdfFonts } from './pdf-printer.ts';

const fonts: DrawnFonts = { regular: readFont('regular'), bold: readFont('bold') };
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (job: PdfJob) => {
  last = last.then(async () => {
    const answer = await draw(job);
    parentPort?.postMessage(answer);
  });
});

async function draw({ id, ...request }: PdfJob): Promise<PdfAnswer> {
  try {
    return { id, bytes: await drawInvoice(request, fonts) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

function readFont(name: keyof PdfFonts): Buffer {
  return readFileSync(readTextProperty(workerData, name) ?? '');
}
