import { expect } from 'chai';
import {
  type LeakNotice,
  leakMail,
} from '../../../../../packages/core/src/access/leaks/leak-mail.ts';
import { newId } from '../../../../../packages/core/src/kernel/basics/id.ts';

const notice: LeakNotice = {
  accountName: 'Café Noir',
  environment: 'live',
  credential: { kind: 'key', id: newId('key'), type: 'secret', name: 'Till <1>' },
  redacted: 'shortened',
  action: 'revoked',
  places: [{ source: 'github', url: 'https://code.example/?a=1&b=2' }],
  endpointsSet: [],
  endpointsToRotate: [],
};

describe('the mail about a leak', () => {
  it('says the same in plain text and in HTML', () => {
    const { text, html } = leakMail(notice);
    const fromHtml = html
      .replace(/<\/?(!doctype html|html lang="en"|html|body|ul|p|li)>\n?/g, '\n')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    const lines = (body: string): string[] =>
      body
        .split('\n')
        .map((line) => line.replace(/^- /, ''))
        .filter((line) => line !== '');
    expect(lines(fromHtml)).to.deep.equal(lines(text));
    expect(text).to.include('(github)');
    expect(html).to.include('Till &lt;1&gt;');
    expect(html).to.include('?a=1&amp;b=2');
  });

  it('lists 20 places, and how many more there are', () => {
    const places = Array.from({ length: 25 }, (_, index) => ({
      source: 'github',
      url: `https://code.example/${index}`,
    }));
    const { text } = leakMail({ ...notice, places });
    expect(text.match(/https:\/\/code\.example/g)).to.have.length(20);
    expect(text).to.include('- and 5 more\n');
  });

  it('gives advice that fits what was done', () => {
    const subjects = (['revoked', 'notified', 'already_revoked'] as const).map(
      (action) => leakMail({ ...notice, action }).subject,
    );
    expect(subjects).to.deep.equal([
      'A live secret key of Café Noir leaked and was revoked',
      'A live secret key of Café Noir leaked and still works',
      'A revoked live secret key of Café Noir leaked',
    ]);
  });
});
