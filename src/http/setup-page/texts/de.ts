import type { SetupTexts } from './setup-texts.ts';

const addRecord = 'Legen Sie einen neuen Eintrag mit den Feldern unten an.';
const replaceValue =
  'Bearbeiten Sie den Eintrag: Löschen Sie den gesamten Wert und tragen Sie stattdessen den Wert unten ein.';
const deleteAlias = (type: string): string =>
  `Löschen Sie den CNAME-Eintrag an diesem Host. Legen Sie dann einen ${type}-Eintrag mit den Feldern unten an.`;
const nothing = 'Sie müssen nichts ändern.';
const waitForServers =
  'Warten Sie eine Stunde: Möglicherweise ist eine Änderung noch nicht auf allen Nameservern angekommen. Besteht das Problem weiter, wenden Sie sich an Ihren DNS-Anbieter.';
/** Where name servers are entered. */
const atRegistrar = 'Öffnen Sie die Verwaltung bei dem Unternehmen, bei dem die Domain registriert ist.';

export const de: SetupTexts = {
  tag: 'de',
  languageName: 'Deutsch',
  title: (domain) => `E-Mail-Einrichtung für ${domain}`,
  skipToContent: 'Zum Inhalt springen',
  chooseLanguage: 'Sprache',

  states: {
    preparing: ({ domain }) => ({
      headline: `Die Einträge für ${domain} werden vorbereitet`,
      next: 'Das dauert einige Sekunden. Danach erscheinen die Einträge hier.',
    }),
    waiting: ({ domain }) => ({
      headline: `Legen Sie die folgenden Einträge für ${domain} an`,
      next: 'DNS-Einträge sind Angaben zu einer Domain. Angelegt werden sie dort, wo die Domain verwaltet wird, oft bei dem Unternehmen, bei dem Sie die Domain gekauft haben. Die Prüfung läuft automatisch: Sie können diese Seite schließen und später wiederkommen.',
    }),
    wrong: ({ domain }) => ({
      headline: `An den Einträgen von ${domain} stimmt etwas nicht`,
      next: 'Bei jedem betroffenen Eintrag steht unten, was falsch ist und was zu tun ist. Ihre Korrektur wird automatisch erkannt.',
    }),
    unanswered: ({ domain }) => ({
      headline: `Die Einträge von ${domain} konnten nicht geprüft werden`,
      next: 'Mindestens ein erforderlicher Eintrag konnte nicht geprüft werden. Die Prüfung wird automatisch wiederholt. Besteht das Problem weiter, wenden Sie sich an den Support.',
    }),
    published: () => ({
      headline: 'Alle erforderlichen Einträge sind richtig',
      next: 'Sie sind fertig. Die Domain wird jetzt bestätigt. Das dauert einige Minuten.',
    }),
    verified: ({ domain }) => ({
      headline: `${domain} ist bestätigt`,
      next: 'Sie sind fertig. Zum Test wird eine erste E-Mail gesendet.',
    }),
    delivered: ({ domain }) => ({
      headline: `Mit ${domain} können Sie jetzt E-Mails senden`,
      next: 'Die erste E-Mail ist angekommen. Lassen Sie die Einträge bestehen: Ohne sie können Ihre E-Mails abgewiesen werden.',
    }),
    drifted: ({ domain }) => ({
      headline: `Ein Eintrag von ${domain} ist nicht mehr richtig`,
      next: 'Zuvor war er richtig. Korrigieren Sie ihn bald: Bis dahin können Ihre E-Mails abgewiesen werden.',
    }),
    failed: ({ domain }) => ({
      headline: `${domain} konnte nicht eingerichtet werden`,
      next: 'Diese Einrichtung ist beendet. Der Support kann sie neu starten.',
    }),
    cancelled: ({ domain }) => ({
      headline: `Die Einrichtung von ${domain} wurde abgebrochen`,
      next: 'Sie müssen die Einträge nicht anlegen. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
    }),
  },
  ends: {
    DomainVerificationTimedOut: ({ conclusive }) =>
      conclusive
        ? 'Die erforderlichen Einträge waren bis zum Ablauf der Frist nicht richtig. Der Support kann die Einrichtung neu starten; bei den Einträgen unten steht, was fehlt.'
        : 'Der Versanddienst hat die Domain nicht rechtzeitig bestätigt. Der Support kann die Einrichtung neu starten.',
    DomainNotVerified: () =>
      'Der Versanddienst hat die Domain nicht angenommen, obwohl er sie bestätigt hatte. Wenden Sie sich an den Support.',
    EmailBounced: ({ recipient, reason }) => {
      const to = recipient === '' ? '' : ` an ${recipient}`;
      const answer = reason === '' ? '' : ` Der Mailserver antwortete: ${reason}`;
      return `Die Domain ist bestätigt, aber die erste E-Mail${to} wurde abgewiesen.${answer}`;
    },
    ProviderRejected: () =>
      'Der Versanddienst hat einen Schritt der Einrichtung abgelehnt. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    ProviderUnavailable: () =>
      'Der Versanddienst war zu lange nicht erreichbar. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    DeliveryUnconfirmed: () =>
      'Die erste E-Mail wurde gesendet, aber es ist nicht bekannt, ob sie angekommen ist. Es liegt nicht an Ihren Einträgen. Wenden Sie sich an den Support.',
    SendOutcomeUnknown: () =>
      'Die Domain ist bestätigt. Ob die erste E-Mail gesendet wurde, ist nicht bekannt und wird vom Support geklärt. Sie müssen nichts tun; lassen Sie die Einträge bestehen.',
    InvalidInput: () => 'Die Einrichtung wurde mit ungültigen Angaben gestartet. Wenden Sie sich an den Support.',
    Cancelled: () =>
      'Sie müssen die Einträge nicht anlegen. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
    Terminated: () =>
      'Die Einrichtung wurde beendet. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Support.',
  },
  notices: {
    checked: 'Die Einträge wurden gerade geprüft.',
    running:
      'Die Prüfung hat begonnen und dauert länger als sonst. Das Ergebnis erscheint hier. Kommt in einigen Minuten keines, versuchen Sie es noch einmal.',
    justChecked: 'Die Einträge wurden vor einigen Sekunden geprüft. Versuchen Sie es gleich noch einmal.',
    refused:
      'Die Einträge können jetzt nicht geprüft werden. Solange die Einrichtung auf sie wartet, werden sie automatisch geprüft.',
    unavailable: 'Die Prüfung ist im Moment nicht möglich. Versuchen Sie es in einigen Minuten noch einmal.',
  },

  steps: {
    label: 'Schritte der Einrichtung',
    publish: 'Einträge anlegen',
    verify: 'Domain bestätigen',
    deliver: 'Erste E-Mail zustellen',
    done: 'erledigt',
    current: 'jetzt',
    ahead: 'kommt noch',
    stopped: 'nicht erreicht',
    lost: 'nicht mehr richtig',
  },

  checks: {
    checkNow: 'Jetzt prüfen',
    checking: 'Wird geprüft …',
    lastChecked: 'Letzte Prüfung:',
    notChecked: 'Noch nicht geprüft',
    nextCheck: 'Nächste Prüfung:',
    timeLeft: 'Verbleibende Zeit:',
    timeOver: 'Die Frist ist abgelaufen. Eine letzte Prüfung entscheidet.',
    duration: ({ days, hours, minutes }) =>
      days > 0
        ? `${days} ${days === 1 ? 'Tag' : 'Tage'}${hours > 0 ? ` ${hoursText(hours)}` : ''}`
        : `${hours > 0 ? `${hoursText(hours)} ` : ''}${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'}`,
    until: (time) => `bis ${time}`,
    refresh: 'Aktuellen Stand anzeigen',
    live: 'Diese Seite aktualisiert sich automatisch.',
  },

  records: {
    required: 'Erforderliche Einträge',
    requiredWhy: 'Die Domain wird bestätigt, sobald alle diese Einträge richtig sind.',
    advised: 'Empfohlene Einträge',
    advisedWhy:
      'Die Domain wird auch ohne diese Einträge bestätigt. Die Einträge schützen aber Ihre Domain und helfen, dass Ihre E-Mails ankommen.',
    purposes: {
      dkim: {
        name: 'DKIM-Schlüssel',
        why: 'Damit prüfen Empfänger, ob eine E-Mail wirklich von Ihrer Domain kommt.',
      },
      spf: { name: 'SPF', why: 'Legt fest, welche Server E-Mails für Ihre Domain senden dürfen.' },
      return_path: {
        name: 'Return-Path',
        why: 'Leitet Meldungen über nicht zugestellte E-Mails an den Versanddienst.',
      },
      dmarc: {
        name: 'DMARC',
        why: 'Legt fest, wie Empfänger mit E-Mails umgehen, die nur vorgeben, von Ihrer Domain zu kommen.',
      },
    },
    status: {
      missing: 'Fehlt',
      wrong: 'Falsch',
      found: 'Richtig',
      inconclusive: 'Nicht geprüft',
      unchecked: 'Noch nicht geprüft',
    },
    type: 'Typ',
    host: 'Host',
    value: 'Wert',
    priority: 'Priorität',
    emptyHost: '(leer lassen)',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyField: (field, record) => `${record}: ${field} kopieren`,
    fullName: 'Vollständiger Name',
    parts: 'Der Wert in Teilen',
    part: (number, of) => `Teil ${number} von ${of}`,
    found: 'Das steht jetzt dort:',
    advice: {
      zoneAppended: (zone) =>
        `Das Formular hängt ${zone} automatisch an den Host an. Tragen Sie den Host genau so ein, wie er hier steht.`,
      zoneMayBeAppended: (zone) =>
        `Die meisten Formulare hängen ${zone} automatisch an. Vergleichen Sie nach dem Speichern den Namen des Eintrags mit dem vollständigen Namen.`,
      hostStaysEmpty: () => 'Lassen Sie das Feld für den Host leer.',
      quotesBelong: () => 'Die Anführungszeichen gehören zum Wert. Tragen Sie ihn in einer Zeile ein.',
      quotesRefused: () => 'Tragen Sie den Wert ohne Anführungszeichen ein.',
      partsIfRefused: () =>
        'Wenn das Formular den Wert als zu lang ablehnt, tragen Sie seine Teile in dasselbe Feld ein: jeden in Anführungszeichen, mit einem Leerzeichen dazwischen.',
      valueTooLong: () =>
        'Dieser Wert ist für das Formular vielleicht zu lang. In diesem Fall wenden Sie sich an Ihren DNS-Anbieter.',
      dotBelongs: () => 'Der Punkt am Ende des Werts gehört dazu.',
      noDot: () => 'Tragen Sie den Wert ohne Punkt am Ende ein.',
      mayNeedDot: (zone) =>
        `Wenn das Formular ${zone} auch an den Wert anhängt, tragen Sie den Wert mit einem Punkt am Ende ein.`,
      priorityInValue: () => 'Die Zahl ist die Priorität und gehört in dasselbe Feld wie der Mailserver.',
      customMxOnly: () =>
        'Wählen Sie zuerst unter „Mail Settings“ die Einstellung „Custom MX“. Achten Sie vor dem Speichern darauf, dass die MX-Einträge für Ihre eigenen Postfächer noch in der Liste stehen.',
      customMxPage: () => 'MX-Einträge haben eine eigene Seite, „Custom MX“.',
      mxHostMayBeMissing: () =>
        'In diesem Formular fehlt vielleicht das Feld für den Host eines MX-Eintrags. Bitten Sie in diesem Fall Ihren DNS-Anbieter, den Eintrag anzulegen.',
      proxyOff: () => 'Schalten Sie für diesen Eintrag den Proxy aus: Der Proxy-Status muss „Nur DNS“ (DNS only) sein.',
      twoConsoles: (zone) =>
        `Domains werden an einem von zwei Orten verwaltet, in der DNS Console oder in der Hetzner Console. Verwenden Sie die Konsole, in der ${zone} aufgeführt ist.`,
      noSpfPreset: () => 'Verwenden Sie keine SPF-Vorlage, sondern legen Sie einen TXT-Eintrag an.',
      longDefaultTtl: () => 'Setzen Sie die TTL auf 3600 oder weniger, damit eine Korrektur schnell erkannt wird.',
      onePaste: () => 'Tragen Sie den Wert in einer Zeile ein, ohne Zeilenumbrüche.',
    },
    enterThis: 'Das ist einzutragen:',
  },

  problems: {
    not_published: ({ type, zone }) =>
      `Der Eintrag ist noch nicht da. Öffnen Sie die DNS-Einstellungen von ${zone} und legen Sie einen neuen ${type}-Eintrag mit den Feldern unten an.`,
    host_doubled: ({ at, atHost, zone }) =>
      `Der Eintrag wurde als ${at} gespeichert. Darin kommt ein Teil der Domain doppelt vor, weil das Formular ${zone} automatisch anhängt. Bearbeiten Sie den Eintrag: Ersetzen Sie den Host ${atHost} durch den Host unten. Lassen Sie den Wert, wie er ist.`,
    host_left_out: ({ at }) =>
      `Der Eintrag wurde unter ${at} gespeichert, ohne seinen Host. ${addRecord} Wenn ein Eintrag unter ${at} genau den Wert unten hat, löschen Sie ihn dort. Lassen Sie alle anderen bestehen.`,
    host_on_parent: ({ at, name }) =>
      `Der Eintrag wurde unter ${at} gespeichert und gilt nicht für ${name}. ${addRecord} Lassen Sie den Eintrag unter ${at} bestehen, wenn ihn etwas anderes braucht.`,
    selector_wrong: ({ at, atHost, type }) =>
      `Der richtige ${type === 'CNAME' ? 'Eintrag' : 'Schlüssel'} wurde unter ${at} gespeichert, also unter dem falschen Host. Bearbeiten Sie den Eintrag: Ersetzen Sie den Host ${atHost} durch den Host unten. Lassen Sie den Wert, wie er ist.`,
    cname_conflict: ({ at, name, type }) =>
      at !== name
        ? `Der DNAME-Eintrag unter ${at} leitet alle Namen darunter um, darum lässt sich unter ${name} nichts eintragen. Löschen Sie den DNAME-Eintrag und legen Sie danach einen neuen ${type}-Eintrag mit den Feldern unten an.`
        : `Unter ${name} gibt es einen CNAME-Eintrag, und daneben kann kein anderer Eintrag bestehen. ${deleteAlias(type)}`,
    dname_above: `Der Eintrag ist richtig, aber nur über einen DNAME-Eintrag erreichbar, dem manche Empfänger nicht folgen. Löschen Sie den DNAME-Eintrag, und legen Sie den Eintrag mit den Feldern unten an.`,
    cname_loop: ({ at, name, type }) =>
      `Der CNAME-Eintrag unter ${at} verweist auf sich selbst. ${at === name ? deleteAlias(type) : replaceValue}`,
    cname_too_long: ({ at, name, type }) =>
      `Ab ${at} folgen zu viele CNAME-Einträge aufeinander. ${at === name ? deleteAlias(type) : replaceValue}`,
    cname_proxied: ({ zone }) =>
      `Der Eintrag ist da, aber für ihn ist der Proxy eingeschaltet. Darum erhalten Empfänger stattdessen die Adressen des Proxys. Öffnen Sie die DNS-Einstellungen von ${zone} und schalten Sie den Proxy für den Eintrag unten aus. Bei Cloudflare ist das die orange Wolke: Der Proxy-Status muss „Nur DNS“ (DNS only) sein.`,
    cname_not_alone: ({ name }) =>
      `Unter ${name} gibt es andere Einträge, aber neben einem CNAME-Eintrag darf es keine anderen geben. Löschen Sie die anderen. Prüfen Sie dann, dass es den CNAME-Eintrag mit den Feldern unten gibt. Wenn Sie keine anderen Einträge finden, macht Ihr DNS-Anbieter aus dem CNAME-Eintrag Adressen (Proxy, ALIAS oder „Flattening“): Schalten Sie das für diesen Eintrag aus.`,
    cname_multiple:
      'An diesem Host gibt es mehr als einen CNAME-Eintrag, aber es darf nur einen geben. Löschen Sie alle bis auf einen. Tragen Sie in diesem den Wert unten ein.',
    cname_target_appended: `Das Formular hat eine Domain an den Wert angehängt, weil dieser nicht mit einem Punkt endete. Bearbeiten Sie den Eintrag: Löschen Sie den gesamten Wert und tragen Sie den Wert unten mit einem Punkt am Ende ein.`,
    cname_target_missing: `Der Eintrag ist richtig, aber Empfänger finden noch nichts an dem Ziel, auf das er verweist. ${nothing} Besteht das Problem weiter, sagen Sie bitte dem Support Bescheid.`,
    wrong_type: ({ type }) =>
      `Der Wert wurde in einem Eintrag des falschen Typs gespeichert. Löschen Sie diesen Eintrag. Legen Sie dann einen Eintrag vom Typ ${type} mit den Feldern unten an.`,
    value_of_other_record: `Der Wert gehört zu einem anderen Eintrag auf dieser Seite: Vielleicht wurden zwei Werte vertauscht. ${replaceValue} Prüfen Sie auch den anderen Eintrag.`,
    value_quoted: `Der Wert hat Anführungszeichen, die nicht zu ihm gehören. ${replaceValue}`,
    value_whitespace: `Im Wert fehlen Leerzeichen, oder es gibt zu viele Leerzeichen oder unsichtbare Zeichen. ${replaceValue} Fügen Sie ihn als reinen Text ein.`,
    value_mismatch: ({ type, hasFields }) => {
      if (type === 'MX')
        return 'Ein anderer Mailserver erhält, was an den Versanddienst gehen soll. Löschen Sie alle MX-Einträge an diesem Host, aber keine an anderen Hosts. Legen Sie dann einen MX-Eintrag mit den Feldern unten an.';
      return hasFields
        ? `Der eingetragene Wert bewirkt nicht dasselbe wie der Wert unten. ${replaceValue}`
        : 'Die DMARC-Einträge an diesem Host sind ungültig, oder es gibt mehr als einen, darum beachten Empfänger keinen. Löschen Sie die ungültigen, und von den übrigen alle bis auf einen.';
    },
    mx_target_appended: ({ zone, mailServer }) =>
      `Das Formular hat ${zone} an den Namen des Mailservers angehängt, weil dieser nicht mit einem Punkt endete. Bearbeiten Sie den Eintrag: Löschen Sie den gesamten Wert und tragen Sie den Wert unten mit einem Punkt am Ende ein, wie in ${mailServer}.`,
    split_into_records:
      'Der Schlüssel wurde auf mehrere Einträge verteilt, gehört aber in einen einzigen. Löschen Sie alle TXT-Einträge an diesem Host. Legen Sie dann einen TXT-Eintrag mit dem ganzen Wert unten an.',
    value_truncated: `Nur der Anfang des Schlüssels wurde gespeichert. ${replaceValue} Achten Sie darauf, dass er vollständig ist.`,
    key_revoked: `Laut dem Eintrag ist der Schlüssel nicht mehr gültig (p= ist leer). ${replaceValue}`,
    key_replaced:
      'Ein anderer Schlüssel hat diesen ersetzt, und nichts verwendet ihn mehr. Sie können diesen Eintrag löschen. Lassen Sie alle anderen stehen.',
    key_testing: `Laut dem Eintrag dient der Schlüssel nur zum Test (t=y), darum beachten ihn Empfänger nicht. ${replaceValue}`,
    key_hash_excluded: `Der Eintrag lässt das Verfahren nicht zu, mit dem Ihre E-Mails signiert werden (h=). ${replaceValue}`,
    key_type_wrong: `Der Eintrag nennt eine andere Art von Schlüssel (k=). ${replaceValue}`,
    key_service_excluded: `Der Eintrag lässt den Schlüssel nicht für E-Mails zu (s=). ${replaceValue}`,
    tags_upper_case: `Im Wert stimmt die Groß- und Kleinschreibung nicht. ${replaceValue}`,
    value_escaped: `Im Wert stehen umgekehrte Schrägstriche (\\), die nicht zu ihm gehören. ${replaceValue}`,
    value_encoded: `Manche Zeichen des Werts gingen verloren oder wurden zu Codes wie &quot; oder %2B. ${replaceValue} Fügen Sie ihn als reinen Text ein.`,
    value_labelled: `Vor dem Wert oder um ihn herum steht Text, der nicht zu ihm gehört. ${replaceValue}`,
    key_version_wrong: `Der Wert muss mit v=DKIM1 beginnen. ${replaceValue}`,
    tags_not_separated: `Die Semikolons oder Gleichheitszeichen im Wert fehlen oder sind andere Zeichen. ${replaceValue}`,
    key_part_missing: `Ein Teil des Schlüssels fehlt. ${replaceValue} Achten Sie darauf, dass er vollständig ist.`,
    key_damaged: `Der Schlüssel ist nicht derselbe wie unten: Einige Zeichen sind falsch. ${replaceValue} Kopieren Sie ihn, statt ihn abzutippen.`,
    key_invalid: `Der Wert ist kein Schlüssel. ${replaceValue}`,
    host_wrong: ({ at, atHost }) =>
      `Der Eintrag wurde unter ${at} gespeichert, also unter dem falschen Host. Bearbeiten Sie den Eintrag: Ersetzen Sie den Host ${atHost} durch den Host unten. Lassen Sie den Wert, wie er ist.`,
    dmarc_organization_invalid: ({ at }) =>
      `Der DMARC-Eintrag unter ${at} würde auch hier gelten, ist aber ungültig. Korrigieren Sie diesen Eintrag: Es darf dort nur einen geben, und sein p= muss none, quarantine oder reject sein. Einen weiteren müssen Sie nicht anlegen.`,
    key_pem: `Der Schlüssel wurde mit den Zeilen BEGIN und END seiner Datei eingetragen. ${replaceValue}`,
    key_without_tags: `Nur der Schlüssel wurde eingetragen, ohne den Anfang des Werts. ${replaceValue}`,
    value_zone_line: `Als Wert wurde eine ganze Zeile einer Zonendatei eingetragen. ${replaceValue}`,
    tag_repeated: `Ein Teil des Werts kommt zweimal vor. ${replaceValue}`,
    value_reordered: `Die Teile des Werts stehen in der falschen Reihenfolge. ${replaceValue}`,
    key_surrounded: `Der Wert enthält zusätzliche Zeichen: vor dem Schlüssel, dahinter oder mitten darin. ${replaceValue}`,
    key_mismatch: `An diesem Host wurde ein anderer Schlüssel gespeichert. ${replaceValue}`,
    dkim_multiple:
      'An diesem Host gibt es mehr als einen TXT-Eintrag, darum beachten Empfänger vielleicht keinen. Löschen Sie alle TXT-Einträge an diesem Host. Legen Sie dann einen TXT-Eintrag mit dem Wert unten an.',
    spf_multiple:
      'An diesem Host gibt es mehr als einen SPF-Eintrag, und Empfänger beachten nur einen. Löschen Sie an diesem Host alle Einträge, deren Wert mit v=spf1 beginnt, bis auf einen. Tragen Sie in diesem den Wert unten ein.',
    spf_version_wrong: `Der Wert beginnt nicht mit v=spf1 und einem Leerzeichen, darum beachten ihn Empfänger nicht. ${replaceValue}`,
    spf_syntax: `Empfänger können den Wert nicht lesen, weil etwas darin falsch geschrieben ist. ${replaceValue}`,
    spf_after_all: `Der Versanddienst steht im Wert nach „all“, wo Empfänger nicht weiterlesen. ${replaceValue}`,
    spf_overruled: `Ein früherer Teil des Werts kann dazu führen, dass Empfänger E-Mails des Versanddienstes abweisen. ${replaceValue}`,
    spf_missing_mechanism: `Der Wert erlaubt dem Versanddienst nicht, E-Mails zu senden. ${replaceValue}`,
    spf_too_many_lookups: `Der Wert verweist auf so viele andere Domains, dass Empfänger aufgeben. ${replaceValue}`,
    spf_too_many_mx_hosts: `Der Wert verweist auf eine Domain mit so vielen Mailservern, dass Empfänger aufgeben. ${replaceValue}`,
    spf_too_many_void_lookups: `Der Wert verweist auf Namen, die es nicht gibt, darum geben Empfänger auf. ${replaceValue}`,
    spf_include_broken: `Der Wert verweist auf eine Domain ohne gültigen SPF-Eintrag, darum geben Empfänger auf. ${replaceValue}`,
    sender_spf_broken: `Der SPF-Eintrag des Versanddienstes fehlt oder ist fehlerhaft. ${nothing} Bitte sagen Sie dem Support Bescheid.`,
    domain_unregistered: ({ at }) =>
      `Die Domain ${at} ist nicht registriert, oder ihre Registrierung ist abgelaufen. Prüfen Sie die Schreibweise. Wenn Sie die Domain registriert haben, fragen Sie bei dem Unternehmen nach, bei dem sie registriert ist.`,
    ns_not_delegated: ({ at }) =>
      `Die Domain ${at} ist registriert, hat aber keine Nameserver. ${atRegistrar} Tragen Sie dort die Nameserver Ihres DNS-Anbieters ein.`,
    delegation_mismatch: ({ at }) =>
      `Für ${at} sind beim Registrar andere Nameserver eingetragen als in den NS-Einträgen der Zone selbst, und Empfänger fragen beide. Das bleibt oft nach einem Wechsel des DNS-Anbieters zurück. Tragen Sie an beiden Stellen die Nameserver Ihres jetzigen DNS-Anbieters ein.`,
    ns_inconsistent: ({ zone }) => `Die Nameserver von ${zone} geben verschiedene Antworten. ${waitForServers}`,
    answers_vary: ({ zone }) =>
      `Ein Nameserver von ${zone} gibt nicht jedes Mal dieselbe Antwort. Prüfen Sie, dass es den Eintrag bei diesem Host nur einmal gibt. ${waitForServers}`,
    key_stale: ({ zone }) => `Einer der Nameserver von ${zone} hat noch einen anderen Schlüssel. ${waitForServers}`,
    ns_lame: ({ zone }) =>
      `Ein Server ist als Nameserver von ${zone} eingetragen, kennt diese Domain aber nicht. ${atRegistrar} Entfernen Sie diesen Nameserver dort oder bitten Sie Ihren DNS-Anbieter, ihn einzurichten.`,
    ns_alias: ({ zone }) =>
      `Ein Nameserver von ${zone} ist ein Alias (CNAME), und viele Empfänger folgen ihm nicht. ${atRegistrar} Ersetzen Sie ihn dort durch einen Nameserver mit eigener Adresse, und ebenso in den NS-Einträgen von ${zone}.`,
    ns_without_authority: ({ zone }) =>
      `Ein Nameserver von ${zone} ist nicht richtig eingerichtet: Er antwortet ohne Autorität. Empfänger nehmen das hin. ${nothing} Bitte melden Sie es Ihrem DNS-Anbieter.`,
    ns_private_address: ({ zone }) =>
      `Ein Nameserver von ${zone} ist aus dem Internet nicht erreichbar. ${atRegistrar} Entfernen Sie diesen Nameserver dort oder bitten Sie Ihren DNS-Anbieter, ihm eine öffentliche Adresse zu geben.`,
    server_failure: ({ at, name, zone }) =>
      at !== name
        ? `Ein Nameserver von ${at} hat keine brauchbare Antwort gegeben. Ihre eigenen Nameserver sind nicht die Ursache. Die Prüfung wird automatisch wiederholt. Besteht das Problem weiter, wenden Sie sich an den Betreiber von ${at}.`
        : `Ein Nameserver von ${zone} hat keine brauchbare Antwort gegeben. Das sagt nichts über Ihren Eintrag aus. Die Prüfung wird automatisch wiederholt. Besteht das Problem weiter, wenden Sie sich an Ihren DNS-Anbieter.`,
    resolver_failure: `Die Prüfung selbst ist fehlgeschlagen. Das sagt nichts über Ihren Eintrag aus. Die Prüfung wird automatisch wiederholt.`,
    negative_cached: `Der Eintrag ist richtig. Manche Empfänger haben aber noch den alten Stand ohne diesen Eintrag gespeichert. ${nothing} Das erledigt sich von selbst.`,
    stale_cached: `Der Eintrag ist richtig. Manche Empfänger haben aber noch den alten Stand gespeichert. ${nothing} Das erledigt sich von selbst.`,
    resolver_disagrees: ({ zone }) =>
      `Die Nameserver von ${zone} haben den Eintrag, aber nicht jeder Empfänger bekommt ihn von dort. Das kann nach einer Änderung einige Minuten dauern. Die Prüfung wird automatisch wiederholt. Bleibt das Problem, wenden Sie sich an Ihren DNS-Anbieter.`,
    not_resolved: ({ zone }) =>
      `Die Nameserver von ${zone} haben den Eintrag, aber Empfänger bekommen von ihnen möglicherweise keine Antwort. Die Prüfung wird automatisch wiederholt. Bleibt das Problem, fragen Sie Ihren DNS-Anbieter, ob jeder Nameserver schnell antwortet, auch auf Anfragen mit EDNS, und mit gültigen DNSSEC-Signaturen, falls die Zone signiert ist.`,
    dnssec_bogus: ({ at }) =>
      `Die DNSSEC-Signaturen von ${at} sind ungültig, darum sehen viele Empfänger den Eintrag nicht. ${atRegistrar} Ersetzen Sie dort die DS-Einträge durch die, die Ihr DNS-Anbieter Ihnen zeigt. Zeigt Ihr DNS-Anbieter keine, löschen Sie die DS-Einträge. Stimmen sie schon überein, bitten Sie Ihren DNS-Anbieter, die Zone neu zu signieren.`,
    dnssec_bogus_alias: ({ at }) =>
      `Der Eintrag bei diesem Host führt zu ${at}. Die DNSSEC-Signaturen dort sind ungültig, darum sehen viele Empfänger den Eintrag nicht. Bitten Sie den Betreiber von ${at}, das zu beheben. Oder ersetzen Sie, was bei diesem Host steht, durch den Eintrag unten.`,
  },

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
    why: 'Schicken Sie dieser Person diese Anleitung. Die Anleitung enthält alle Einträge, aber keine Passwörter und keine anderen vertraulichen Daten.',
    copyInstructions: 'Anleitung kopieren',
    downloadZoneFile: 'BIND-Zonendatei herunterladen',
    print: 'Drucken',
    instructions: {
      heading: (domain) => `DNS-Einträge für ${domain}`,
      request: (zone) => `Bitte tragen Sie diese Einträge in die DNS-Zone ${zone} ein`,
      required: 'erforderlich',
      advised: 'empfohlen',
      purpose: (product) => `Die Einträge dienen dem Senden von E-Mails mit ${product}`,
      otherZone: (zone) => `In der DNS-Zone ${zone}`,
      unchecked: (zone) =>
        `Diese Einträge gehören in die DNS-Zone ${zone}. Sie konnten nicht geprüft werden: Tragen Sie ein, was noch fehlt`,
      nothingToEnter: 'Für diese Einträge müssen Sie nichts eintragen, aber etwas stimmt noch nicht:',
      alreadyRight: 'Diese Einträge sind schon richtig. Lassen Sie sie unverändert:',
      until: (deadline) => `Die Einträge müssen spätestens am ${deadline} angelegt sein`,
    },
  },

  about: {
    nameServers: 'Nameserver der letzten Prüfung',
    answered: 'hat geantwortet',
    silent: 'hat nicht geantwortet',
    nextHeading: 'Wie es weitergeht',
    next: ({ domain, zone, state, mayCheck }) =>
      mayCheck && state !== 'published'
        ? [
            'Sie legen die Einträge an. Eine Änderung ist meist nach wenigen Minuten zu sehen, manchmal erst nach einigen Stunden.',
            `Die Einträge werden bei den Nameservern von ${zone ?? domain} immer wieder geprüft. Sie müssen hier nicht warten.`,
            'Sobald die erforderlichen Einträge richtig sind, wird die Domain bestätigt und eine erste E-Mail zum Test gesendet.',
          ]
        : [],
    support: 'Fragen? Wenden Sie sich an',
    supportUnknown: 'Fragen? Wenden Sie sich an das Unternehmen, von dem Sie diesen Link haben.',
  },

  notFound: {
    headline: 'Dieser Link ist nicht gültig',
    next: 'Vielleicht ist er abgelaufen oder wurde widerrufen. Bitten Sie das Unternehmen, von dem Sie ihn haben, um einen neuen.',
  },
  unavailable: {
    headline: 'Diese Seite ist im Moment nicht erreichbar',
    next: 'Es geht nichts verloren. Versuchen Sie es in einer Minute noch einmal.',
  },
};

const hoursText = (hours: number): string => `${hours} ${hours === 1 ? 'Stunde' : 'Stunden'}`;
