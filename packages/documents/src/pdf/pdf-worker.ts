/** The program of the thread that draws PDFs; it gets the next paper when it has answered. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readTextProperty } from '@paymount/core/kernel';
import { type DrawnFonts, drawInvoice } from './draw-invoice.ts';
import type { PdfFonts } from './pdf-printer.ts';
import type { PdfAnswer, PdfRequest } from './pdf-request.ts';

const fonts: DrawnFonts = { regular: readFont('regular'), bold: readFont('bold') };

parentPort?.on('message', (request: PdfRequest) => {
  void draw(request).then((answer) => parentPort?.postMessage(answer));
});

async function draw(request: PdfRequest): Promise<PdfAnswer> {
  try {
    return { bytes: await drawInvoice(request, fonts) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function readFont(name: keyof PdfFonts): Buffer {
  return readFileSync(readTextProperty(workerData, name) ?? '');
}
