import type { InvoiceTexts } from '@paymount/core/billing';
import { Html, html, type RouteResponse, when } from '@paymount/http';
import type { InvoiceDocument } from '../invoice-document.ts';
import type { InvoiceLooks } from '../invoice-looks.ts';

/** Where the other papers of an invoice are, relative to a page. */
export interface PaperLinks {
  /** The same paper as a PDF. */
  readonly pdf: string;
  /** The other paper; absent: there is none. */
  readonly other?: string;
}

/** The page of a paper about an invoice: without scripts, never in a frame, never stored. */
export function renderInvoice(
  looks: InvoiceLooks,
  paper: InvoiceDocument,
  { texts, links }: { readonly texts: InvoiceTexts; readonly links: PaperLinks },
): RouteResponse {
  const { badge, state, title, number, parties, facts, description, footer } = paper;
  const isReceipt = paper.paper === 'receipt';
  const body = html`${when(badge !== undefined, () => html`<p class="badge">${badge ?? ''}</p>`)}
<h1>${title} ${number}</h1>
<p class="state">${state}</p>
<dl>
${facts.map(({ label, value }) => html`<dt>${label}</dt><dd>${value}</dd>\n`)}
</dl>
<div class="parties">
${parties.map(({ label, lines }) => html`<section><h2>${label}</h2><p>${lines.join('\n')}</p></section>\n`)}
</div>
${when(description !== undefined, () => html`<p class="note">${description ?? ''}</p>`)}
${renderLines(paper)}
${when(footer !== undefined, () => html`<p class="note">${footer ?? ''}</p>`)}
<nav aria-label="${title}">
<a class="first" href="${links.pdf}">${isReceipt ? texts.links.receiptPdf : texts.links.invoicePdf}</a>
${when(links.other !== undefined, () => html`<a href="${links.other ?? ''}">${isReceipt ? texts.links.invoice : texts.links.receipt}</a>`)}
</nav>`;
  const { language } = paper;
  return renderPage(looks, { status: 200, language, title: `${title} ${number}`, body });
}

/** A page with one message. */
export function renderProblem(
  looks: InvoiceLooks,
  problem: {
    readonly status: number;
    readonly language: string;
    readonly title: string;
    readonly message: string;
  },
): RouteResponse {
  const { message, ...page } = problem;
  return renderPage(looks, { ...page, body: html`<h1>${page.title}</h1>\n<p>${message}</p>` });
}

function renderLines({ columns, lines, sums }: InvoiceDocument): Html {
  return html`<div class="lines" tabindex="0"><table>
<thead><tr><th scope="col">${columns.description}</th><th scope="col" class="number">${columns.quantity}</th><th scope="col" class="number">${columns.amount}</th></tr></thead>
<tbody>
${lines.map(
  ({ description, period, quantity, amount }) =>
    html`<tr><td>${description}<small>${period}</small></td><td class="number">${quantity}</td><td class="number">${amount}</td></tr>\n`,
)}
</tbody>
<tfoot>
${sums.map(
  ({ label, value, isStrong }) =>
    html`<tr${when(isStrong === true, () => html` class="sum"`)}><th scope="row" colspan="2">${label}</th><td class="number">${value}</td></tr>\n`,
)}
</tfoot>
</table></div>`;
}

function renderPage(
  { name, logoUrl, css, csp }: InvoiceLooks,
  page: {
    readonly status: number;
    readonly language: string;
    readonly title: string;
    readonly body: Html;
  },
): RouteResponse {
  const { status, language, title, body } = page;
  const text = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(css)}</style>
</head>
<body>
<main>
${when(name !== undefined || logoUrl !== undefined, () => html`<header>${when(logoUrl !== undefined, () => html`<img src="${logoUrl ?? ''}" alt="">`)}${name ?? ''}</header>`)}
${body}
</main>
</body>
</html>
`;
  return {
    status,
    body: text.text,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': csp,
      'X-Frame-Options': 'DENY',
    },
  };
}
