import type { InvoiceTexts } from './invoice-texts.ts';

export const de: InvoiceTexts = {
  testMode: 'Testmodus: Es wird kein echtes Geld bewegt.',
  titles: { invoice: 'Rechnung', receipt: 'Zahlungsbeleg' },
  labels: {
    number: 'Rechnungsnummer',
    issued: 'Rechnungsdatum',
    due: 'Fällig am',
    paid: 'Bezahlt am',
    period: 'Zeitraum',
    paidWith: 'Bezahlt mit',
    from: 'Von',
    billedTo: 'Rechnung an',
    description: 'Beschreibung',
    quantity: 'Menge',
    amount: 'Betrag',
    subtotal: 'Zwischensumme',
    total: 'Gesamtbetrag',
    creditUsed: 'Verrechnetes Guthaben',
    owedBefore: 'Noch offen von vorher',
    credited: 'Ihrem Guthaben hinzugefügt',
    amountDue: 'Zu zahlen',
    amountPaid: 'Bezahlt',
    refunded: 'Erstattet',
    page: 'Seite {number}',
  },
  methods: {
    card: '{brand} mit den Endziffern {last4}',
    bankAccount: 'Bankkonto mit den Endziffern {last4}',
    elsewhere: 'Auf anderem Weg',
  },
  states: {
    open: '{amount} sind zu zahlen.',
    dueOn: '{amount} sind am {date} fällig.',
    overdue: '{amount} waren am {date} fällig und sind nicht bezahlt.',
    paid: 'Bezahlt am {date}.',
    paidElsewhere: 'Auf anderem Weg bezahlt am {date}.',
    nothingDue: 'Es ist nichts zu zahlen.',
    void: 'Diese Rechnung ist ungültig. Sie muss nicht bezahlt werden.',
    uncollectible: 'Diese Rechnung ist nicht bezahlt und wird nicht mehr eingezogen.',
  },
  span: '{from} bis {until}',
  links: {
    invoicePdf: 'Rechnung herunterladen (PDF)',
    receiptPdf: 'Zahlungsbeleg herunterladen (PDF)',
    invoice: 'Rechnung anzeigen',
    receipt: 'Zahlungsbeleg anzeigen',
  },
  mails: {
    invoiceSubject: 'Rechnung {number} von {seller}',
    invoice: '{seller} sendet Ihnen die Rechnung {number}.',
    pay: 'Bitte zahlen Sie {amount} bis zum {date}.',
    receiptSubject: 'Ihr Zahlungsbeleg von {seller}',
    receipt: '{seller} hat Ihre Zahlung von {amount} erhalten. Vielen Dank.',
    failedSubject: 'Ihre Zahlung an {seller} ist fehlgeschlagen',
    failed: 'Ihre Zahlung von {amount} an {seller} ist fehlgeschlagen.',
    triedAgain:
      'Am {date} wird sie erneut versucht. Wenn Sie eine andere Karte oder ein anderes Konto nutzen möchten, teilen Sie sie {seller} vor diesem Tag mit.',
    otherMethod:
      'Bitte teilen Sie {seller} eine andere Karte oder ein anderes Konto mit. Die Zahlung wird dann erneut versucht.',
    cardSubject: 'Ihre Karte läuft vor der nächsten Zahlung an {seller} ab',
    card: '{method} läuft vor dem {date} ab. An diesem Tag verlängert sich Ihr Abonnement von {plan}.',
    newCard: 'Bitte teilen Sie {seller} vor diesem Tag eine neue Karte oder ein neues Konto mit.',
    upcomingSubject: 'Ihr Abonnement bei {seller} verlängert sich am {date}',
    upcoming:
      'Ihr Abonnement von {plan} verlängert sich am {date}. Der reguläre Preis ist {amount}.',
    canceledSubject: 'Ihr Abonnement bei {seller} ist beendet',
    canceled: 'Ihr Abonnement von {plan} endete am {date}. Es verlängert sich nicht.',
  },
  problems: {
    title: 'Diese Seite kann nicht angezeigt werden',
    unknown: 'Diese Seite gibt es nicht. Prüfen Sie, ob Sie den ganzen Link haben.',
    tooMany:
      'Aus Ihrem Netz wurden zu viele Seiten geöffnet. Warten Sie einen Moment und laden Sie diese Seite dann neu.',
    unavailable:
      'Die Seite ist im Moment nicht verfügbar. Warten Sie einen Moment und laden Sie sie dann neu.',
    failed:
      'Etwas ist schiefgegangen. Wenn das noch einmal geschieht, nennen Sie dem Zahlungsempfänger die Anfrage {request}.',
  },
};
