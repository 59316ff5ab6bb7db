import type { PageColors } from '@paymount/http';

/** The style sheet of a page, on a screen and on paper. */
export function styles({ background, text, accent, accentText }: PageColors): string {
  return `
:root { --background: ${background}; --text: ${text}; --accent: ${accent}; --accent-text: ${accentText} }
* { box-sizing: border-box }
body { background: var(--background); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0 }
main { margin: 0 auto; max-width: 50rem; padding: 1.5rem 1rem 3rem }
header { align-items: center; display: flex; font-weight: 600; gap: 0.75rem; min-height: 40px }
header img { height: 40px; max-width: 12rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1.5rem 0 0.5rem }
h2 { font-size: 1rem; margin: 0 }
p, td, dd { overflow-wrap: anywhere }
.badge { border: 2px solid; border-radius: 6px; display: inline-block; font-weight: 600; margin: 1rem 0 0; padding: 0 0.5rem }
.state { border-left: 4px solid; font-weight: 600; padding-left: 0.75rem }
.parties { display: flex; flex-wrap: wrap; gap: 1.5rem 3rem; margin: 1.5rem 0 }
.parties section { flex: 1 1 14rem }
.parties p { margin: 0; white-space: pre-line }
dl { display: grid; gap: 0 1.5rem; grid-template-columns: max-content 1fr; margin: 1rem 0 }
dt { font-weight: 600 }
dd { margin: 0 }
.note { white-space: pre-line }
.lines { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top }
thead th { border-bottom: 2px solid }
tbody td { border-bottom: 1px solid }
tfoot th { font-weight: 400 }
tfoot .sum th, tfoot .sum td { font-weight: 700 }
th.number, td.number { padding-right: 0; text-align: right; white-space: nowrap }
td.number + td.number, th.number + th.number { padding-left: 1rem }
small { display: block }
nav { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem }
a { border: 2px solid var(--text); border-radius: 8px; color: var(--text); font-weight: 600; min-height: 48px; padding: 0.6rem 1rem; text-decoration: none }
a.first { background: var(--accent); border-color: var(--accent); color: var(--accent-text) }
:focus-visible { outline: 3px solid var(--text); outline-offset: 2px }
@media print { nav { display: none } main { max-width: none; padding: 0 } thead { display: table-header-group } tr { break-inside: avoid } }
`;
}
