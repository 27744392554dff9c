import { instructionText, zoneFileHeading, type InstructionWords } from './instruction-text.ts';
import { problemTexts } from './problem-facts.ts';
import type { SetupTexts } from './setup-texts.ts';

const addRecord = 'Legen Sie einen neuen Eintrag mit den Feldern unten an.';
const replaceValue = 'Bearbeiten Sie den Eintrag: Löschen Sie den ganzen Wert und tragen Sie den Wert unten ein.';
const deleteAlias = (type: string): string =>
  `Löschen Sie den CNAME-Eintrag an diesem Host. Legen Sie dann einen ${type}-Eintrag mit den Feldern unten an.`;
const nothing = 'Sie müssen nichts ändern.';
const waitForServers =
  'Warten Sie eine Stunde: Eine Änderung ist vielleicht noch nicht bei allen angekommen. Hält das an, wenden Sie sich an Ihren DNS-Anbieter.';
/** Where name servers are entered. */
const atRegistrar = 'Bei dem Unternehmen, bei dem die Domain registriert ist:';

const instructions: InstructionWords = {
  heading: (domain) => `DNS-Einträge für ${domain}`,
  request: (zone) => `Bitte tragen Sie diese Einträge in die DNS-Zone ${zone} ein`,
  required: 'erforderlich',
  advised: 'empfohlen',
  alreadyRight: 'Diese Einträge sind schon richtig. Lassen Sie sie, wie sie sind:',
  until: (deadline) => `Sie werden bis ${deadline} gebraucht`,
};

export const de: SetupTexts = {
  tag: 'de',
  languageName: 'Deutsch',
  title: (domain) => `E-Mail einrichten für ${domain}`,
  skipToContent: 'Zum Inhalt springen',
  chooseLanguage: 'Sprache',

  states: {
    preparing: ({ domain }) => ({
      headline: `Die Einträge für ${domain} werden vorbereitet`,
      next: 'Das dauert einige Sekunden. Danach erscheinen sie hier.',
    }),
    waiting: ({ domain }) => ({
      headline: `Tragen Sie die Einträge unten für ${domain} ein`,
      next: 'DNS-Einträge sind Angaben zu einer Domain. Sie tragen sie dort ein, wo die Domain verwaltet wird, oft bei dem Unternehmen, bei dem Sie die Domain gekauft haben. Geprüft wird automatisch: Sie können diese Seite schließen und später wiederkommen.',
    }),
    wrong: ({ domain }) => ({
      headline: `An den Einträgen von ${domain} stimmt etwas nicht`,
      next: 'Bei jedem betroffenen Eintrag steht unten, was falsch ist und was zu tun ist. Ihre Korrektur wird automatisch bemerkt.',
    }),
    unanswered: ({ domain }) => ({
      headline: `Die Nameserver von ${domain} antworten nicht`,
      next: 'Die Einträge können im Moment nicht geprüft werden. Die Prüfung wird wiederholt. Hält das an, wenden Sie sich an Ihren DNS-Anbieter.',
    }),
    published: () => ({
      headline: 'Alle erforderlichen Einträge sind richtig',
      next: 'Sie sind fertig. Die Domain wird jetzt bestätigt, das dauert einige Minuten.',
    }),
    verified: ({ domain }) => ({
      headline: `${domain} ist bestätigt`,
      next: 'Sie sind fertig. Eine erste E-Mail ist unterwegs, um zu sehen, ob sie ankommt.',
    }),
    delivered: ({ domain }) => ({
      headline: `${domain} kann jetzt E-Mails senden`,
      next: 'Die erste E-Mail ist angekommen. Lassen Sie die Einträge bestehen: Ohne sie werden Ihre E-Mails abgewiesen.',
    }),
    drifted: ({ domain }) => ({
      headline: `Ein Eintrag von ${domain} ist nicht mehr richtig`,
      next: 'Er war es schon. Korrigieren Sie ihn bald: Bis dahin können Ihre E-Mails abgewiesen werden.',
    }),
    failed: ({ domain }) => ({
      headline: `${domain} konnte nicht eingerichtet werden`,
      next: 'Hier geschieht nichts mehr. Der Support kann die Einrichtung neu starten.',
    }),
    cancelled: ({ domain }) => ({
      headline: `Die Einrichtung von ${domain} wurde abgebrochen`,
      next: 'Sie müssen die Einträge nicht anlegen. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
    }),
  },
  ends: {
    DomainVerificationTimedOut: () =>
      'Die erforderlichen Einträge waren nicht richtig, als die Zeit abgelaufen war. Der Support kann die Einrichtung neu starten; bei den Einträgen unten steht, was fehlt.',
    DomainNotVerified: () =>
      'Der Versanddienst hat die Domain nicht angenommen, obwohl ihre Einträge richtig waren. Wenden Sie sich an den Support.',
    EmailBounced: ({ recipient, reason }) =>
      `Die Einträge sind richtig, aber die erste E-Mail an ${recipient} wurde abgewiesen. Der Mailserver antwortete: ${reason}`,
    ProviderRejected: () =>
      'Der Versanddienst hat einen Schritt der Einrichtung abgelehnt. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    ProviderUnavailable: () =>
      'Der Versanddienst war zu lange nicht erreichbar. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    DeliveryUnconfirmed: () =>
      'Die erste E-Mail wurde gesendet, aber es ist nicht bekannt, ob sie angekommen ist. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    InvalidInput: () => 'Die Einrichtung wurde mit falschen Angaben gestartet. Wenden Sie sich an den Support.',
    Cancelled: () =>
      'Sie müssen die Einträge nicht anlegen. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
    Terminated: () =>
      'Die Einrichtung wurde beendet. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
  },
  notices: {
    checked: 'Die Einträge wurden gerade geprüft.',
    running: 'Die Prüfung läuft noch. Ihr Ergebnis erscheint hier.',
    justChecked: 'Die Einträge wurden vor einigen Sekunden geprüft. Versuchen Sie es gleich noch einmal.',
    refused:
      'Die Einträge können jetzt nicht geprüft werden. Sie werden automatisch geprüft, solange die Einrichtung auf sie wartet.',
    unavailable: 'Die Prüfung war im Moment nicht möglich. Versuchen Sie es in einigen Minuten noch einmal.',
  },

  steps: {
    label: 'Schritte der Einrichtung',
    publish: 'Einträge anlegen',
    verify: 'Domain wird bestätigt',
    deliver: 'Erste E-Mail kommt an',
    done: 'erledigt',
    current: 'jetzt',
    ahead: 'kommt noch',
    stopped: 'nicht erreicht',
  },

  checks: {
    checkNow: 'Jetzt prüfen',
    checking: 'Wird geprüft …',
    lastChecked: 'Letzte Prüfung:',
    notChecked: 'Noch nicht geprüft',
    nextCheck: 'Nächste Prüfung:',
    timeLeft: 'Verbleibende Zeit:',
    timeOver: 'Die Zeit ist abgelaufen. Eine letzte Prüfung entscheidet.',
    duration: ({ days, hours, minutes }) =>
      days > 0
        ? `${days} ${days === 1 ? 'Tag' : 'Tage'} ${hoursText(hours)}`
        : `${hours > 0 ? `${hoursText(hours)} ` : ''}${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'}`,
    until: (time) => `bis ${time}`,
    refresh: 'Neuesten Stand zeigen',
    live: 'Diese Seite aktualisiert sich selbst.',
  },

  records: {
    required: 'Erforderliche Einträge',
    requiredWhy: 'Die Domain wird bestätigt, sobald alle diese Einträge richtig sind.',
    advised: 'Empfohlene Einträge',
    advisedWhy:
      'Die Domain wird auch ohne sie bestätigt. Sie schützen aber Ihre Domain und helfen Ihren E-Mails anzukommen.',
    purposes: {
      dkim: {
        name: 'DKIM-Schlüssel',
        why: 'Damit prüfen Empfänger, dass eine E-Mail wirklich von Ihrer Domain kommt.',
      },
      spf: { name: 'SPF', why: 'Sagt, welche Server E-Mails für Ihre Domain senden dürfen.' },
      return_path: {
        name: 'Rückweg (Return-Path)',
        why: 'Leitet Meldungen über nicht zugestellte E-Mails zum Versanddienst.',
      },
      dmarc: {
        name: 'DMARC',
        why: 'Sagt, was Empfänger mit E-Mails tun, die nur vorgeben, von Ihrer Domain zu kommen.',
      },
    },
    status: { missing: 'Fehlt', wrong: 'Falsch', found: 'Richtig', inconclusive: 'Nicht geprüft' },
    type: 'Typ',
    host: 'Host',
    value: 'Wert',
    priority: 'Priorität',
    emptyHost: '(leer lassen)',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyField: (field, record) => `${field} von ${record} kopieren`,
    fullName: 'Vollständiger Name',
    parts: 'Der Wert in Teilen',
    part: (number, of) => `Teil ${number} von ${of}`,
    found: 'Was jetzt dort steht',
    advice: {
      zoneAppended: (zone) =>
        `Das Formular ergänzt ${zone} selbst. Tragen Sie den Host genau so ein, wie er hier steht.`,
      zoneMayBeAppended: (zone) =>
        `Die meisten Formulare ergänzen ${zone} selbst. Vergleichen Sie nach dem Speichern den Namen des Eintrags mit dem vollständigen Namen.`,
      hostStaysEmpty: () => 'Lassen Sie das Feld für den Host leer.',
      quotesBelong: () => 'Die Anführungszeichen gehören zum Wert. Tragen Sie ihn in einer Zeile ein.',
      quotesRefused: () => 'Tragen Sie den Wert ohne Anführungszeichen ein.',
      partsIfRefused: () =>
        'Wenn das Formular den Wert als zu lang ablehnt, tragen Sie seine Teile in dasselbe Feld ein: jeden in Anführungszeichen, mit einem Leerzeichen dazwischen.',
      valueTooLong: () =>
        'Dieser Wert ist für das Formular vielleicht zu lang. Wenden Sie sich dann an Ihren DNS-Anbieter.',
      dotBelongs: () => 'Der Punkt am Ende des Mailservers gehört dazu.',
      noDot: () => 'Tragen Sie den Mailserver ohne Punkt am Ende ein.',
      mayNeedDot: (zone) =>
        `Wenn das Formular ${zone} auch an den Namen des Mailservers anhängt, setzen Sie an dessen Ende einen Punkt.`,
      priorityInValue: () => 'Die Zahl ist die Priorität. Sie gehört in dasselbe Feld wie der Mailserver.',
      customMxOnly: () =>
        'Wählen Sie zuerst unter „Mail Settings“ die Einstellung „Custom MX“. Achten Sie vor dem Speichern darauf, dass die MX-Einträge für Ihre eigenen Postfächer noch in der Liste stehen.',
      customMxPage: () => 'MX-Einträge haben eine eigene Seite, „Custom MX“.',
      mxHostMayBeMissing: () =>
        'In diesem Formular fehlt vielleicht das Feld für den Host eines MX-Eintrags. Bitten Sie dann Ihren DNS-Anbieter, den Eintrag anzulegen.',
      twoConsoles: (zone) =>
        `Domains werden an einem von zwei Orten verwaltet, in der DNS Console oder in der Hetzner Console. Nehmen Sie den, der ${zone} zeigt.`,
      noSpfPreset: () => 'Verwenden Sie nicht die Vorlagen für SPF: Legen Sie einen TXT-Eintrag an.',
      longDefaultTtl: () => 'Setzen Sie die TTL auf 3600 oder weniger, damit eine Korrektur bald bemerkt wird.',
      onePaste: () => 'Tragen Sie den Wert in einer Zeile ein, ohne Zeilenumbrüche.',
    },
    problem: 'Was falsch ist und was zu tun ist',
    enterThis: 'Tragen Sie das ein',
  },

  problems: problemTexts({
    not_published: ({ type, zone }) =>
      `Der Eintrag ist noch nicht da. Öffnen Sie die DNS-Einstellungen von ${zone} und legen Sie einen neuen ${type}-Eintrag mit den Feldern unten an.`,
    host_doubled: ({ at, atHost, zone }) =>
      `Der Eintrag wurde als ${at} gespeichert. Darin kommt ein Teil der Domain doppelt vor, weil das Formular ${zone} selbst ergänzt. Bearbeiten Sie den Eintrag: Ersetzen Sie den Host ${atHost} durch den Host unten. Lassen Sie den Wert, wie er ist.`,
    host_left_out: ({ at }) =>
      `Der Eintrag wurde unter ${at} gespeichert, ohne seinen Host. ${addRecord} Wenn ein Eintrag unter ${at} genau den Wert unten hat, löschen Sie ihn dort. Lassen Sie alle anderen bestehen.`,
    host_on_parent: ({ at, name }) =>
      `Der Eintrag wurde unter ${at} gespeichert und gilt nicht für ${name}. ${addRecord} Lassen Sie den Eintrag unter ${at} bestehen, wenn ihn etwas anderes braucht.`,
    selector_wrong: ({ at, atHost }) =>
      `Der richtige Schlüssel wurde unter ${at} gespeichert, aber das ist nicht sein Host. Bearbeiten Sie den Eintrag: Ersetzen Sie den Host ${atHost} durch den Host unten. Lassen Sie den Wert, wie er ist.`,
    cname_conflict: ({ name, type }) =>
      `Unter ${name} gibt es einen CNAME-Eintrag, und daneben kann kein anderer Eintrag bestehen. ${deleteAlias(type)}`,
    cname_loop: ({ at, name, type }) =>
      `Der CNAME-Eintrag unter ${at} führt zu sich selbst zurück. ${at === name ? deleteAlias(type) : replaceValue}`,
    cname_too_long: ({ at, name, type }) =>
      `Ab ${at} folgen zu viele CNAME-Einträge aufeinander. ${at === name ? deleteAlias(type) : replaceValue}`,
    wrong_type: ({ type }) =>
      `Der Wert wurde in einem Eintrag des falschen Typs gespeichert. Löschen Sie diesen Eintrag. Legen Sie dann einen Eintrag vom Typ ${type} mit den Feldern unten an.`,
    value_of_other_record: `Der Wert gehört zu einem anderen Eintrag dieser Seite: Vielleicht wurden zwei Werte vertauscht. ${replaceValue} Prüfen Sie auch den anderen Eintrag.`,
    value_quoted: `Der Wert hat Anführungszeichen, die nicht zu ihm gehören. ${replaceValue}`,
    value_whitespace: `Im Wert fehlen Leerzeichen, oder es gibt zu viele Leerzeichen oder unsichtbare Zeichen. ${replaceValue} Fügen Sie ihn als reinen Text ein.`,
    value_mismatch: ({ purpose, hasFields }) => {
      if (purpose === 'return_path')
        return 'Ein anderer Mailserver erhält, was an den Versanddienst gehen soll. Löschen Sie die anderen MX-Einträge an diesem Host, und nur diese. Legen Sie dann einen MX-Eintrag mit den Feldern unten an.';
      return hasFields
        ? `Der Wert hat nicht die Wirkung des Werts unten. ${replaceValue}`
        : 'An diesem Host gibt es mehr als einen DMARC-Eintrag, und Empfänger beachten dann keinen. Löschen Sie alle bis auf einen.';
    },
    mx_target_appended: ({ zone, mailServer }) =>
      `Das Formular hat ${zone} an den Namen des Mailservers angehängt. Bearbeiten Sie den Eintrag: Setzen Sie einen Punkt an das Ende des Mailservers, also ${mailServer}.`,
    split_into_records:
      'Der Schlüssel wurde auf mehrere Einträge verteilt, gehört aber in einen. Löschen Sie alle TXT-Einträge an diesem Host. Legen Sie dann einen TXT-Eintrag mit dem ganzen Wert unten an.',
    value_truncated: `Nur der Anfang des Schlüssels wurde gespeichert. ${replaceValue} Achten Sie darauf, dass er vollständig ist.`,
    key_revoked: `Der Eintrag sagt, dass der Schlüssel nicht mehr gilt (p= ist leer). ${replaceValue}`,
    key_testing: `Der Eintrag sagt, dass der Schlüssel nur ein Test ist (t=y), darum beachten ihn Empfänger nicht. ${replaceValue}`,
    key_hash_excluded: `Der Eintrag lässt die Art nicht zu, wie Ihre E-Mails signiert werden (h=). ${replaceValue}`,
    key_type_wrong: `Der Eintrag nennt eine andere Art von Schlüssel (k=). ${replaceValue}`,
    key_service_excluded: `Der Eintrag lässt den Schlüssel nicht für E-Mails zu (s=). ${replaceValue}`,
    tags_upper_case: `Im Wert wurden Großbuchstaben zu Kleinbuchstaben oder umgekehrt. ${replaceValue}`,
    value_escaped: `Im Wert steht vor den Strichpunkten ein umgekehrter Schrägstrich. ${replaceValue}`,
    key_pem: `Der Schlüssel wurde mit den Zeilen BEGIN und END seiner Datei eingetragen. ${replaceValue}`,
    key_without_tags: `Nur der Schlüssel wurde eingetragen, ohne den Anfang des Werts. ${replaceValue}`,
    value_zone_line: `Als Wert wurde eine ganze Zeile einer Zonendatei eingetragen. ${replaceValue}`,
    tag_repeated: `Ein Teil des Werts kommt zweimal vor. ${replaceValue}`,
    value_reordered: `Die Teile des Werts stehen in der falschen Reihenfolge. ${replaceValue}`,
    key_surrounded: `Im Wert stehen weitere Zeichen, um den Schlüssel herum oder in ihm. ${replaceValue}`,
    key_mismatch: `An diesem Host wurde ein anderer Schlüssel gespeichert. ${replaceValue}`,
    dkim_multiple:
      'An diesem Host gibt es mehr als einen TXT-Eintrag, darum beachten Empfänger vielleicht keinen. Löschen Sie alle TXT-Einträge an diesem Host. Legen Sie dann einen TXT-Eintrag mit dem Wert unten an.',
    spf_multiple:
      'An diesem Host gibt es mehr als einen SPF-Eintrag, und Empfänger beachten nur einen. Löschen Sie die Einträge, deren Wert mit v=spf1 beginnt, bis auf einen. Geben Sie diesem den Wert unten.',
    spf_version_wrong: `Der Wert beginnt nicht mit v=spf1 und einem Leerzeichen, darum beachten ihn Empfänger nicht. ${replaceValue}`,
    spf_syntax: `Empfänger können den Wert nicht lesen, weil etwas darin falsch geschrieben ist. ${replaceValue}`,
    spf_after_all: `Der Versanddienst steht im Wert nach „all“, wo Empfänger nicht weiterlesen. ${replaceValue}`,
    spf_overruled: `Ein Teil des Werts vor dem Versanddienst kann dessen E-Mails abweisen. ${replaceValue}`,
    spf_missing_mechanism: `Der Wert erlaubt dem Versanddienst nicht, E-Mails zu senden. ${replaceValue}`,
    spf_too_many_lookups: `Der Wert verweist auf so viele andere Domains, dass Empfänger aufgeben. ${replaceValue}`,
    spf_too_many_mx_hosts: `Der Wert verweist auf eine Domain mit so vielen Mailservern, dass Empfänger aufgeben. ${replaceValue}`,
    spf_too_many_void_lookups: `Der Wert verweist auf Namen, die es nicht gibt, darum geben Empfänger auf. ${replaceValue}`,
    spf_include_broken: `Der Wert verweist auf eine Domain ohne gültigen SPF-Eintrag, darum geben Empfänger auf. ${replaceValue}`,
    sender_spf_broken: `Der SPF-Eintrag des Versanddienstes fehlt oder ist fehlerhaft. ${nothing} Bitte sagen Sie dem Support Bescheid.`,
    domain_unregistered: ({ at }) =>
      `Die Domain ${at} ist nicht registriert, oder ihre Registrierung ist abgelaufen. Prüfen Sie die Schreibweise. Wenn Sie die Domain registriert haben, fragen Sie das Unternehmen, bei dem Sie das getan haben.`,
    ns_not_delegated: ({ at }) =>
      `Die Domain ${at} ist registriert, hat aber keine Nameserver. ${atRegistrar} Tragen Sie dort die Nameserver Ihres DNS-Anbieters ein.`,
    ns_inconsistent: ({ zone }) => `Die Nameserver von ${zone} geben verschiedene Antworten. ${waitForServers}`,
    key_stale: ({ zone }) => `Einer der Nameserver von ${zone} hat noch einen anderen Schlüssel. ${waitForServers}`,
    ns_lame: ({ zone }) =>
      `Ein Server ist als Nameserver von ${zone} eingetragen, kennt diese Domain aber nicht. ${atRegistrar} Entfernen Sie ihn dort, oder bitten Sie Ihren DNS-Anbieter, ihn einzurichten.`,
    ns_private_address: ({ zone }) =>
      `Ein Nameserver von ${zone} ist aus dem Internet nicht erreichbar. ${atRegistrar} Entfernen Sie ihn dort, oder bitten Sie Ihren DNS-Anbieter, ihm eine öffentliche Adresse zu geben.`,
    server_failure: ({ zone }) =>
      `Ein Nameserver von ${zone} hat keine brauchbare Antwort gegeben. ${nothing} Die Prüfung wird wiederholt. Hält das an, wenden Sie sich an Ihren DNS-Anbieter.`,
    resolver_failure: `Die Prüfung selbst ist misslungen, das sagt nichts über Ihren Eintrag. ${nothing} Die Prüfung wird wiederholt.`,
    negative_cached: `Der Eintrag ist richtig, aber manche Empfänger merken sich noch, dass er nicht da war. ${nothing} Das gibt sich nach einer Weile.`,
    stale_cached: `Der Eintrag ist richtig, aber manche Empfänger merken sich noch, was vorher dort stand. ${nothing} Das gibt sich nach einer Weile.`,
    dnssec_bogus: ({ zone }) =>
      `Die DNSSEC-Signaturen von ${zone} sind ungültig, darum sehen viele Empfänger den Eintrag nicht. ${atRegistrar} Ersetzen Sie dort die DS-Einträge durch die, die Ihr DNS-Anbieter Ihnen zeigt. Zeigt er keine, löschen Sie sie.`,
  }),

  operator: {
    looksLike: (operator, zone) => `${zone} wird offenbar bei ${operator} verwaltet.`,
    unknown: (zone) =>
      `Melden Sie sich dort an, wo ${zone} verwaltet wird, und öffnen Sie die DNS-Einstellungen. Oft heißen sie „DNS“, „Zone“ oder „Nameserver“.`,
    manual: (operator) => `So legen Sie Einträge bei ${operator} an`,
    isAnother: 'Die Domain wird woanders verwaltet',
    isThis: (operator) => `Die Domain wird bei ${operator} verwaltet`,
  },

  handOn: {
    heading: 'Verwaltet jemand anderes die Domain?',
    why: 'Schicken Sie dieser Person diese Anleitung. Sie enthält alle Einträge, aber kein Passwort und kein Geheimnis.',
    copyInstructions: 'Anleitung kopieren',
    downloadZoneFile: 'BIND-Zonendatei herunterladen',
    print: 'Drucken',
    instructions: (view) => instructionText(view, de, instructions),
    zoneFileComments: (view) => zoneFileHeading(view, instructions),
  },

  about: {
    nameServers: 'Nameserver der letzten Prüfung',
    answered: 'hat geantwortet',
    silent: 'hat nicht geantwortet',
    nextHeading: 'Wie es weitergeht',
    next: ({ domain, mayCheck }) =>
      mayCheck
        ? [
            'Sie legen die Einträge an. Eine Änderung ist meist nach Minuten zu sehen, manchmal nach einigen Stunden.',
            `Sie werden bei den Nameservern von ${domain} immer wieder geprüft. Sie müssen hier nicht warten.`,
            'Sobald die erforderlichen Einträge richtig sind, wird die Domain bestätigt und eine erste E-Mail zum Test gesendet.',
          ]
        : [],
    support: 'Fragen? Wenden Sie sich an',
    supportUnknown: 'Fragen? Wenden Sie sich an das Unternehmen, von dem Sie diesen Link haben.',
  },

  notFound: {
    headline: 'Dieser Link ist nicht gültig',
    next: 'Vielleicht ist er abgelaufen oder zurückgezogen. Bitten Sie das Unternehmen, von dem Sie ihn haben, um einen neuen.',
  },
  unavailable: {
    headline: 'Diese Seite ist im Moment nicht erreichbar',
    next: 'Es geht nichts verloren. Versuchen Sie es in einer Minute noch einmal.',
  },
};

const hoursText = (hours: number): string => `${hours} ${hours === 1 ? 'Stunde' : 'Stunden'}`;
