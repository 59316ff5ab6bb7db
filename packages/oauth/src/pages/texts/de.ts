import type { PageTexts } from './page-texts.ts';

export const de: PageTexts = {
  title: '{platform} möchte auf Ihr Konto zugreifen',
  signedInAs: 'Sie sind angemeldet als {user}.',
  account: 'Konto',
  chooseAccount: 'Konto auswählen',
  permissions: 'Wenn Sie zustimmen, kann {platform}',
  permissionsHelp: 'Entfernen Sie, was Sie nicht erlauben möchten.',
  movesMoney: 'bewegt Geld',
  scopes: {
    'charges:read': 'Zahlungen und Erstattungen sehen',
    'charges:write': 'Karten belasten und Zahlungen erstatten',
    'customers:read': 'Gespeicherte Karten sehen',
    'customers:write': 'Karten speichern',
    'subscriptions:write': 'Abonnements anlegen und ändern',
    'payouts:read': 'Guthaben und Auszahlungen sehen',
    'disputes:write': 'Auf Zahlungseinsprüche antworten',
    'webhooks:write': 'Ereignisse des Kontos empfangen und ändern, wohin sie gesendet werden',
  },
  returnTo: 'Danach kehren Sie zu {host} zurück.',
  testMode: 'Testmodus: Es wird kein echtes Geld bewegt.',
  withdraw: 'Sie können den Zugriff jederzeit widerrufen.',
  allow: 'Erlauben',
  cancel: 'Abbrechen',
  chooseScope: 'Wählen Sie mindestens eine Berechtigung.',
  applications: {
    title: 'Verbundene Anwendungen',
    none: 'Keine Anwendung darf für {account} handeln.',
    mayAct: 'Diese Anwendungen dürfen für {account} handeln.',
    allowedOn: 'Erlaubt am {date}.',
    lastUsedOn: 'Zuletzt genutzt am {date}.',
    notUsed: 'Noch nicht genutzt.',
    end: 'Zugriff von {platform} beenden',
    more: 'Weitere Anwendungen',
  },
  newLogin: {
    title: 'Melden Sie sich erneut an',
    message: 'Um fortzufahren, müssen Sie sich erneut anmelden. Es wurde nichts geändert.',
    next: 'Weiter zur Anmeldung',
  },
  errorTitle: 'Diese Anfrage kann nicht fortgesetzt werden',
  startAgain: 'Gehen Sie zurück zur Anwendung und beginnen Sie von vorn.',
  openAgain: 'Seite erneut öffnen',
  tryLater: 'Warten Sie einen Moment und laden Sie diese Seite dann neu.',
  reportIt:
    'Wenn das noch einmal geschieht, wenden Sie sich an den Support und nennen Sie die Anfrage {request}.',
  problems: {
    tooMany: 'Aus Ihrem Netz wurden zu viele Seiten geöffnet.',
    unavailable: 'Die Seite ist im Moment nicht verfügbar.',
    failed: 'Etwas ist schiefgegangen.',
  },
  errors: {
    unknownPlatform: 'Die Anwendung, von der Sie kommen, ist unbekannt oder gesperrt.',
    unknownRedirect:
      'Die Anwendung, von der Sie kommen, hat eine Adresse genannt, die sie nicht registriert hat. Ihre redirect_uri muss Zeichen für Zeichen einer registrierten gleichen.',
    otherBrowser:
      'Diese Seite gehört zu einem anderen Browser oder zu einem Tab, der gleichzeitig geöffnet wurde, oder Ihr Browser nimmt keine Cookies an.',
    otherUser:
      'Diese Seite wurde von einem anderen Benutzer oder in einer anderen Sitzung geöffnet.',
    expired: 'Diese Seite ist abgelaufen.',
    answered: 'Diese Anfrage wurde bereits beantwortet.',
    loginFailed: 'Die Anmeldung wurde nicht abgeschlossen.',
    foreignForm: 'Die Antwort kam nicht von dieser Seite.',
    oldForm:
      'Die Seite war zu lange offen, oder Sie haben sich seitdem erneut angemeldet. Es wurde nichts geändert.',
    otherAccount: 'Sie dürfen dies für dieses Konto nicht entscheiden.',
    suspendedAccount:
      'Dieses Konto ist gesperrt. Es wurde nichts erlaubt. Wenden Sie sich an den Betreiber dieses Dienstes.',
    noAccounts:
      'Sie dürfen dies für kein Konto entscheiden. Wenden Sie sich an einen Inhaber des Kontos.',
  },
};
