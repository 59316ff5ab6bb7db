import { fill } from '@paymount/core/kernel';
import PDFDocument from 'pdfkit';
import type { InvoiceDocument } from '../invoice-document.ts';
import { drawText, heightOfText } from './draw-text.ts';
import type { PdfRequest } from './pdf-request.ts';

/** The bytes of the fonts. */
export interface DrawnFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

type Pdf = InstanceType<typeof PDFDocument>;

/** The paper that is drawn, and how far it is. */
interface Sheet {
  readonly pdf: Pdf;
  readonly content: InvoiceDocument;
  page: number;
}

/** In points, on A4. */
const MARGIN = 50;
const WIDTH = 495;
const BOTTOM = 770;
const COLUMNS = {
  description: { x: MARGIN, width: 305 },
  quantity: { x: 365, width: 60 },
  amount: { x: 435, width: 110 },
} as const;
const SMALL = 8;
const NORMAL = 9.5;
const LARGE = 18;
const LOGO_HEIGHT = 32;
const LOGO = /^data:image\/(?:png|jpe?g);base64,/;

/** Draws a paper about an invoice as a PDF. The same paper is always the same bytes. */
export async function drawInvoice(
  { content, text, name, logoUrl }: PdfRequest,
  fonts: DrawnFonts,
): Promise<Uint8Array> {
  const title = `${content.title} ${content.number}`;
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: content.language,
    displayTitle: true,
    info: {
      Title: title,
      CreationDate: content.issuedAt,
      Producer: 'Paymount',
      Creator: 'Paymount',
    },
  });
  const done = collect(pdf);
  pdf.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold);
  // Each page begins in black.
  pdf.on('pageAdded', () => pdf.fillColor(text).strokeColor(text));
  pdf.fillColor(text).strokeColor(text);
  drawHead(pdf, { name, logoUrl });
  const sheet: Sheet = { pdf, content, page: 1 };
  drawTop(sheet, title);
  drawLines(sheet);
  drawSums(sheet);
  if (content.footer !== undefined) drawNote(sheet, content.footer);
  pdf.end();
  return done;
}

function collect(pdf: Pdf): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    pdf.on('error', reject);
  });
}

/** The logo and the name of the host. */
function drawHead(
  pdf: Pdf,
  {
    name,
    logoUrl = '',
  }: { readonly name: string | undefined; readonly logoUrl: string | undefined },
): void {
  const hasLogo = LOGO.test(logoUrl);
  if (hasLogo) pdf.image(logoUrl, MARGIN, MARGIN, { fit: [160, LOGO_HEIGHT] });
  if (name !== undefined) {
    const y = hasLogo ? MARGIN + LOGO_HEIGHT + 6 : MARGIN;
    pdf.font('bold').fontSize(NORMAL);
    drawText(pdf, name, { x: MARGIN, y, width: WIDTH });
  } else if (hasLogo) pdf.y = MARGIN + LOGO_HEIGHT;
  if (hasLogo || name !== undefined) pdf.y += 14;
}

function drawTop(sheet: Sheet, title: string): void {
  const { pdf, content } = sheet;
  const { badge, state, facts, parties, description } = content;
  const wide = { x: MARGIN, width: WIDTH };
  pdf.font('bold').fontSize(NORMAL);
  if (badge !== undefined) drawText(pdf, badge, { ...wide, y: pdf.y });
  pdf.fontSize(LARGE);
  drawText(pdf, title, { ...wide, y: pdf.y + 2 });
  pdf.fontSize(NORMAL);
  drawText(pdf, state, { ...wide, y: pdf.y + 4 });
  pdf.y += 10;
  for (const { label, value } of facts) {
    const { y } = pdf;
    pdf.font('bold');
    drawText(pdf, label, { x: MARGIN, y, width: 150 });
    const below = pdf.y;
    pdf.font('regular');
    drawText(pdf, value, { x: MARGIN + 160, y, width: WIDTH - 160 });
    pdf.y = Math.max(below, pdf.y);
  }
  const top = pdf.y + 14;
  const ends = parties.map(({ label, lines }, index) => {
    const x = MARGIN + index * 255;
    pdf.font('bold');
    drawText(pdf, label, { x, y: top, width: 240 });
    pdf.font('regular');
    drawText(pdf, lines.join('\n'), { x, y: pdf.y, width: 240 });
    return pdf.y;
  });
  pdf.y = Math.max(...ends) + 14;
  if (description !== undefined) drawNote(sheet, description);
}

function drawLines(sheet: Sheet): void {
  const { pdf, content } = sheet;
  drawColumns(sheet);
  for (const line of content.lines) {
    const { x, width } = COLUMNS.description;
    pdf.font('regular').fontSize(NORMAL);
    const height = heightOfText(pdf, line.description, width);
    pdf.fontSize(SMALL);
    const below = heightOfText(pdf, line.period, width);
    if (makeRoom(sheet, height + below + 8)) drawColumns(sheet);
    const { y } = pdf;
    pdf.font('regular').fontSize(NORMAL);
    drawText(pdf, line.description, { x, y, width });
    pdf.fontSize(SMALL);
    drawText(pdf, line.period, { x, y: pdf.y, width });
    const end = pdf.y;
    pdf.fontSize(NORMAL);
    drawRight(pdf, line.quantity, COLUMNS.quantity, y);
    drawRight(pdf, line.amount, COLUMNS.amount, y);
    pdf.y = end + 3;
    rule(pdf, 0.3);
    pdf.y += 4;
  }
}

function drawColumns({ pdf, content: { columns } }: Sheet): void {
  const { y } = pdf;
  pdf.font('bold').fontSize(NORMAL);
  drawText(pdf, columns.description, { ...COLUMNS.description, y });
  drawRight(pdf, columns.quantity, COLUMNS.quantity, y);
  drawRight(pdf, columns.amount, COLUMNS.amount, y);
  pdf.y += 3;
  rule(pdf, 1);
  pdf.y += 5;
}

function drawSums(sheet: Sheet): void {
  const { pdf, content } = sheet;
  makeRoom(sheet, content.sums.length * 16);
  for (const { label, value, isStrong } of content.sums) {
    const { y } = pdf;
    pdf.font(isStrong === true ? 'bold' : 'regular').fontSize(NORMAL);
    drawText(pdf, label, { x: 250, y, width: 180 });
    const end = pdf.y;
    drawRight(pdf, value, COLUMNS.amount, y);
    pdf.y = Math.max(end, pdf.y) + 3;
  }
  pdf.y += 12;
}

/** A text of the merchant; a long one flows to the next page. */
function drawNote(sheet: Sheet, note: string): void {
  const { pdf } = sheet;
  pdf.font('regular').fontSize(NORMAL);
  for (const paragraph of note.split('\n')) {
    makeRoom(sheet, heightOfText(pdf, paragraph, WIDTH));
    pdf.font('regular').fontSize(NORMAL);
    drawText(pdf, paragraph, { x: MARGIN, y: pdf.y, width: WIDTH });
  }
  pdf.y += 12;
}

function drawRight(
  pdf: Pdf,
  text: string,
  { x, width }: { readonly x: number; readonly width: number },
  y: number,
): void {
  drawText(pdf, text, { x, y, width, align: 'right' });
}

function rule(pdf: Pdf, thickness: number): void {
  const { y } = pdf;
  pdf
    .lineWidth(thickness)
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + WIDTH, y)
    .stroke();
}

/** Begins a page if the rest of this one is too small. @returns whether it did */
function makeRoom(sheet: Sheet, height: number): boolean {
  const { pdf, content } = sheet;
  const { title, number, pageLabel } = content;
  if (pdf.y + height <= BOTTOM) return false;
  pdf.addPage();
  sheet.page += 1;
  const page = fill(pageLabel, { number: String(sheet.page) });
  pdf.font('regular').fontSize(SMALL);
  drawText(pdf, `${title} ${number} · ${page}`, { x: MARGIN, y: MARGIN, width: WIDTH });
  pdf.y += 10;
  return true;
}
