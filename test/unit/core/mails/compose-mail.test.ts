import { expect } from 'chai';
import fc from 'fast-check';
import { composeMail } from '../../../../packages/core/src/mails/compose-mail.ts';

describe('a composed mail', () => {
  it('has paragraphs and lists in both forms', () => {
    expect(
      composeMail({ subject: 'Two', parts: ['Hello.', ['one', 'two'], 'Bye.'] }),
    ).to.deep.equal({
      subject: 'Two',
      text: 'Hello.\n\n- one\n- two\n\nBye.\n',
      html: [
        '<!doctype html>',
        '<html lang="en">',
        '<body>',
        '<p>Hello.</p>',
        '<ul>',
        '<li>one</li>',
        '<li>two</li>',
        '</ul>',
        '<p>Bye.</p>',
        '</body>',
        '</html>',
        '',
      ].join('\n'),
    });
  });

  it('has a subject of one line and no markup of its words, whatever they are', () => {
    const unit = fc.constantFrom(...'\r\n\0\t\u0085\u2028\u2029<>&"\'aé ');
    const words = fc.string({ unit, maxLength: 20 });
    fc.assert(
      fc.property(words, (word) => {
        const { subject, html } = composeMail({ subject: `a${word}`, parts: [word, [word]] });
        expect(subject).not.to.match(/[\p{Cc}\u2028\u2029]/u);
        expect(html.match(/</g)).to.have.length(11);
        expect(html.match(/["']/g)).to.have.length(2);
      }),
    );
  });
});
