import { expect } from 'chai';
import fc from 'fast-check';
import { composeMail } from '../../../../../packages/core/src/changes/mails/compose-mail.ts';

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

  it('has its own lines alone and no markup of its words, whatever they are', () => {
    const unit = fc.constantFrom(...'\r\n\0\t\x1b\u0085\u2028\u2029\u202e<>&"\'aé ');
    const words = fc.string({ unit, maxLength: 20 });
    fc.assert(
      fc.property(words, (word) => {
        const parts = [`a${word}b`, [`a${word}b`]];
        const { subject, text, html } = composeMail({ subject: `a${word}`, parts });
        expect(subject).not.to.match(/[\p{Cc}\u2028\u2029\u202e]/u);
        const lines = (form: string): number =>
          form.split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/).length;
        expect([lines(text), lines(html)]).to.deep.equal([4, 10]);
        expect(text + html).not.to.match(/(?!\n)[\p{Cc}\u202e]/u);
        expect(html.match(/</g)).to.have.length(11);
        expect(html.match(/["']/g)).to.have.length(2);
      }),
    );
  });
});
