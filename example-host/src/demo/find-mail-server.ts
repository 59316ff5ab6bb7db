/** The mail server of `SMTP_URL`, if there is one. */
export function findMailServer(): { readonly url?: string; readonly described: string } {
  const url = process.env['SMTP_URL'];
  if (url) return { url, described: 'the server of SMTP_URL' };
  return { described: 'none (SMTP_URL names a server); mails wait in the database' };
}
