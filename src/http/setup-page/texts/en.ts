import { counted } from '../../../lib/counted.ts';
import type { SetupTexts } from './setup-texts.ts';

const addRecord = 'Add a new record with the fields below.';
const replaceValue = 'Edit the record: delete its whole value and enter the value below.';
const deleteAlias = (type: string): string =>
  `Delete the CNAME record at this host. Then add a ${type} record with the fields below.`;
const nothing = 'You do not have to change anything.';
const waitForServers =
  'Wait an hour: a change may not have reached all name servers yet. If the problem remains, contact your DNS provider.';
/** Where name servers are entered. */
const atRegistrar = 'At your domain registrar,';

export const en: SetupTexts = {
  tag: 'en',
  languageName: 'English',
  title: (domain) => `Email setup for ${domain}`,
  skipToContent: 'Skip to the content',
  chooseLanguage: 'Language',

  states: {
    preparing: ({ domain }) => ({
      headline: `The records for ${domain} are being prepared`,
      next: 'This takes a few seconds. Then they appear here.',
    }),
    waiting: ({ domain }) => ({
      headline: `Add the records below to ${domain}`,
      next: 'DNS records are entries about a domain. You add them where the domain is managed, often at the company where you bought it. They are checked automatically: you can close this page and come back later.',
    }),
    wrong: ({ domain }) => ({
      headline: `Something is wrong with the records of ${domain}`,
      next: 'Each affected record below shows what is wrong and how to fix it. Your corrections are detected automatically.',
    }),
    unanswered: ({ domain }) => ({
      headline: `The records of ${domain} could not be checked`,
      next: 'At least one required record could not be checked. The check is repeated automatically. If the problem remains, contact support.',
    }),
    published: () => ({
      headline: 'All required records are correct',
      next: 'You are done. The domain is now being verified, which takes a few minutes.',
    }),
    verified: ({ domain }) => ({
      headline: `${domain} is verified`,
      next: 'You are done. A first email is sent as a test.',
    }),
    delivered: ({ domain }) => ({
      headline: `${domain} is ready to send email`,
      next: 'The first email has arrived. Leave the records in place: without them, your email may be rejected.',
    }),
    drifted: ({ domain }) => ({
      headline: `A record of ${domain} is no longer correct`,
      next: 'It was correct before. Fix it soon: until then, your email may be rejected.',
    }),
    failed: ({ domain }) => ({
      headline: `${domain} could not be set up`,
      next: 'This setup has ended. Support can start it again.',
    }),
    cancelled: ({ domain }) => ({
      headline: `The setup of ${domain} was cancelled`,
      next: 'You do not have to add the records. If you did not expect this, contact support.',
    }),
  },
  ends: {
    DomainVerificationTimedOut: ({ conclusive }) =>
      conclusive
        ? 'The required records were not correct before the deadline. Support can start the setup again; the records below show what is missing.'
        : 'The sending service did not confirm the domain before the deadline. Support can start the setup again.',
    DomainNotVerified: () =>
      'The sending service did not accept the domain, although it had confirmed it. Contact support.',
    EmailBounced: ({ recipient, reason }) => {
      const to = recipient === '' ? '' : ` to ${recipient}`;
      const answer = reason === '' ? '' : ` The mail server answered: ${reason}`;
      return `The domain is verified, but the first email${to} was rejected.${answer}`;
    },
    ProviderRejected: () =>
      'The sending service refused a step of the setup. This is not about your records. Contact support.',
    ProviderUnavailable: () =>
      'The sending service could not be reached for too long. This is not about your records. Contact support.',
    DeliveryUnconfirmed: () =>
      'The first email was sent, but it is not known whether it arrived. This is not about your records. Contact support.',
    SendOutcomeUnknown: () =>
      'The domain is verified. It is not known whether the first email was sent, and support has to find out. You do not have to do anything; leave the records in place.',
    InvalidInput: () => 'The setup was started with invalid data. Contact support.',
    Cancelled: () => 'You do not have to add the records. If you did not expect this, contact support.',
    Terminated: () => 'The setup was stopped. If you did not expect this, contact support.',
  },
  notices: {
    checked: 'The records were checked just now.',
    running:
      'The check has begun and takes longer than usual. Its result appears here. If there is none in a few minutes, try again.',
    justChecked: 'The records were checked a few seconds ago. Try again in a moment.',
    refused: 'The records cannot be checked now. They are checked automatically while the setup waits for them.',
    unavailable: 'The check is not possible at the moment. Try again in a few minutes.',
  },

  steps: {
    label: 'Steps of the setup',
    publish: 'Add the records',
    verify: 'Verify the domain',
    deliver: 'Deliver the first email',
    done: 'done',
    current: 'now',
    ahead: 'to come',
    stopped: 'not reached',
    lost: 'no longer correct',
  },

  checks: {
    checkNow: 'Check now',
    checking: 'Checking…',
    lastChecked: 'Last check:',
    notChecked: 'Not checked yet',
    nextCheck: 'Next check:',
    timeLeft: 'Time left:',
    timeOver: 'The deadline has passed. One final check decides.',
    duration: ({ days, hours, minutes }) =>
      days > 0
        ? `${counted(days, 'day')}${hours > 0 ? ` ${counted(hours, 'hour')}` : ''}`
        : `${hours > 0 ? `${counted(hours, 'hour')} ` : ''}${counted(minutes, 'minute')}`,
    until: (time) => `until ${time}`,
    refresh: 'Show the latest state',
    live: 'This page updates automatically.',
  },

  records: {
    required: 'Required records',
    requiredWhy: 'The domain is verified as soon as all of these are correct.',
    advised: 'Recommended records',
    advisedWhy: 'The domain is verified without them, but they protect your domain and help your email to arrive.',
    purposes: {
      dkim: { name: 'DKIM key', why: 'Lets receivers check that an email really comes from your domain.' },
      spf: { name: 'SPF', why: 'Says which servers may send email for your domain.' },
      return_path: { name: 'Return path', why: 'Routes notices about undelivered email to the sending service.' },
      dmarc: {
        name: 'DMARC',
        why: 'Tells receivers what to do with email that only pretends to come from your domain.',
      },
    },
    status: {
      missing: 'Missing',
      wrong: 'Wrong',
      found: 'Correct',
      inconclusive: 'Not checked',
      unchecked: 'Not checked yet',
    },
    type: 'Type',
    host: 'Host',
    value: 'Value',
    priority: 'Priority',
    emptyHost: '(leave empty)',
    copy: 'Copy',
    copied: 'Copied',
    copyField: (field, record) => `Copy ${field} of ${record}`,
    fullName: 'Full name',
    parts: 'The value in parts',
    part: (number, of) => `Part ${number} of ${of}`,
    found: 'What is there now:',
    advice: {
      zoneAppended: (zone) => `The form adds ${zone} to the host automatically. Enter the host exactly as shown.`,
      zoneMayBeAppended: (zone) =>
        `Most forms add ${zone} to the host automatically. After saving, compare the name of the record with the full name.`,
      hostStaysEmpty: () => 'Leave the field for the host empty.',
      quotesBelong: () => 'The quotation marks belong to the value. Enter it as one line.',
      quotesRefused: () => 'Enter the value without quotation marks.',
      partsIfRefused: () =>
        'If the form refuses the value because it is too long, enter its parts in the same field: each in quotation marks, with a space between them.',
      valueTooLong: () => 'This value may be too long for the form. In that case, contact your DNS provider.',
      dotBelongs: () => 'The dot at the end of the value is part of it.',
      noDot: () => 'Enter the value without a dot at its end.',
      mayNeedDot: (zone) => `If the form adds ${zone} to the value as well, enter the value with a dot at its end.`,
      priorityInValue: () => 'The number is the priority. It belongs in the same field as the mail server.',
      customMxOnly: () =>
        'First choose “Custom MX” under “Mail Settings”. Before saving, make sure that the MX records for your own mailboxes are still in the list.',
      customMxPage: () => 'MX records have a page of their own, “Custom MX”.',
      mxHostMayBeMissing: () =>
        'This form may have no field for the host of an MX record. In that case, ask your DNS provider to add the record.',
      proxyOff: () => 'Switch the proxy off for this record: its proxy status must be “DNS only”.',
      twoConsoles: (zone) =>
        `Domains are managed in one of two places, the DNS Console or the Hetzner Console. Use the one that lists ${zone}.`,
      noSpfPreset: () => 'Do not use an SPF template. Add a TXT record instead.',
      longDefaultTtl: () => 'Set the TTL to 3600 or less, so that a correction is detected quickly.',
      onePaste: () => 'Enter the value as one line, without line breaks.',
    },
    enterThis: 'Enter this:',
  },

  problems: {
    not_published: ({ type, zone }) =>
      `The record is not there yet. Open the DNS settings of ${zone} and add a new ${type} record with the fields below.`,
    host_doubled: ({ at, atHost, zone }) =>
      `The record was saved as ${at}, where a part of the domain occurs twice, because the form adds ${zone} automatically. Edit the record: replace the host ${atHost} with the host below. Leave the value as it is.`,
    host_left_out: ({ at }) =>
      `The record was saved at ${at}, without its host. ${addRecord} If a record at ${at} has exactly the value below, delete that one. Leave all others there.`,
    host_on_parent: ({ at, name }) =>
      `The record was saved at ${at} and does not count for ${name}. ${addRecord} Leave the record at ${at} if something else needs it.`,
    selector_wrong: ({ at, atHost, type }) =>
      `The correct ${type === 'CNAME' ? 'record' : 'key'} was saved at ${at}, which is the wrong host. Edit the record: replace the host ${atHost} with the host below. Leave the value as it is.`,
    cname_conflict: ({ at, name, type }) =>
      at !== name
        ? `The DNAME record at ${at} redirects all names below it, so nothing can be entered at ${name}. Delete the DNAME record, then add a new ${type} record with the fields below.`
        : `There is a CNAME record at ${name}, and no other record can exist beside it. ${deleteAlias(type)}`,
    dname_above: `The record is correct, but it is reached only through a DNAME record, which some receivers do not follow. Delete the DNAME record, and add the record with the fields below.`,
    cname_loop: ({ at, name, type }) =>
      `The CNAME record at ${at} leads back to itself. ${at === name ? deleteAlias(type) : replaceValue}`,
    cname_too_long: ({ at, name, type }) =>
      `Too many CNAME records follow each other from ${at} on. ${at === name ? deleteAlias(type) : replaceValue}`,
    cname_proxied: ({ zone }) =>
      `The record is there, but its proxy is switched on, so receivers get the addresses of the proxy instead. Open the DNS settings of ${zone} and switch the proxy off for the record below. At Cloudflare that is the orange cloud: the proxy status must be “DNS only”.`,
    cname_not_alone: ({ name }) =>
      `There are other records at ${name}, but a CNAME record must be the only one at its name. Delete the others. Then check that the CNAME record with the fields below is there. If you find no other records, your DNS provider turns the CNAME record into addresses (proxy, ALIAS or “flattening”): switch that off for this record.`,
    cname_multiple:
      'There is more than one CNAME record at this host, and only one may be there. Delete all of them but one. Enter the value below in that one.',
    cname_target_appended: `The form added a domain to the value, because the value had no dot at its end. Edit the record: delete its whole value and enter the value below with a final dot.`,
    cname_target_missing: `The record is correct, but receivers find nothing yet where it leads to. ${nothing} If the problem remains, please tell support.`,
    wrong_type: ({ type }) =>
      `The value was saved in a record of the wrong type. Delete that record. Then add a record of type ${type} with the fields below.`,
    value_of_other_record: `The value belongs to another record on this page: two values may have been swapped. ${replaceValue} Check the other record too.`,
    value_quoted: `The value has quotation marks that do not belong to it. ${replaceValue}`,
    value_whitespace: `Spaces are missing in the value, or it has too many spaces or invisible characters. ${replaceValue} Paste it as plain text.`,
    value_mismatch: ({ type, hasFields }) => {
      if (type === 'MX')
        return 'Another mail server receives what should go to the sending service. Delete all MX records at this host, but none at other hosts. Then add an MX record with the fields below.';
      return hasFields
        ? `The value that was entered does not do the same as the value below. ${replaceValue}`
        : 'The DMARC records at this host are not valid, or there is more than one, so receivers ignore them. Delete those that are not valid, and all but one of the others.';
    },
    mx_target_appended: ({ zone, mailServer }) =>
      `The form added ${zone} to the name of the mail server, because that name had no dot at its end. Edit the record: delete its whole value and enter the value below with a final dot, as in ${mailServer}.`,
    split_into_records:
      'The key was divided into several records, but it belongs in one. Delete all TXT records at this host. Then add one TXT record with the whole value below.',
    value_truncated: `Only the beginning of the key was saved. ${replaceValue} Make sure that all of it is there.`,
    key_revoked: `The record says that the key is no longer valid (p= is empty). ${replaceValue}`,
    key_replaced:
      'Another key has replaced this one, and nothing uses it any more. You can delete this record. Leave all others there.',
    key_testing: `The record says that the key is only a test (t=y), so receivers ignore it. ${replaceValue}`,
    key_hash_excluded: `The record does not allow the method that signs your email (h=). ${replaceValue}`,
    key_type_wrong: `The record names another type of key (k=). ${replaceValue}`,
    key_service_excluded: `The record does not allow the key for email (s=). ${replaceValue}`,
    tags_upper_case: `The value has the wrong capitalization. ${replaceValue}`,
    value_escaped: `The value has backslashes (\\) that do not belong to it. ${replaceValue}`,
    value_encoded: `Some characters of the value were lost or turned into codes such as &quot; or %2B. ${replaceValue} Paste it as plain text.`,
    value_labelled: `There is text before or around the value that does not belong to it. ${replaceValue}`,
    key_version_wrong: `The value must begin with v=DKIM1. ${replaceValue}`,
    tags_not_separated: `The semicolons or equals signs in the value are missing or are other characters. ${replaceValue}`,
    key_part_missing: `A part of the key is missing. ${replaceValue} Make sure that all of it is there.`,
    key_damaged: `The key is not the same as below: some characters of it are wrong. ${replaceValue} Copy it instead of typing it.`,
    key_invalid: `The value is not a key. ${replaceValue}`,
    host_wrong: ({ at, atHost }) =>
      `The record was saved at ${at}, which is the wrong host. Edit the record: replace the host ${atHost} with the host below. Leave the value as it is.`,
    dmarc_organization_invalid: ({ at }) =>
      `The DMARC record at ${at} would apply here too, but it is not valid. Correct that record: only one may be there, and its p= must be none, quarantine or reject. You need not add another one.`,
    key_pem: `The key was entered with the BEGIN and END lines of its file. ${replaceValue}`,
    key_without_tags: `Only the key was entered, without the beginning of the value. ${replaceValue}`,
    value_zone_line: `A whole line of a zone file was entered as the value. ${replaceValue}`,
    tag_repeated: `A part of the value occurs twice. ${replaceValue}`,
    value_reordered: `The parts of the value are in the wrong order. ${replaceValue}`,
    key_surrounded: `The value has extra characters before, after or inside the key. ${replaceValue}`,
    key_mismatch: `Another key was saved at this host. ${replaceValue}`,
    dkim_multiple:
      'There is more than one TXT record at this host, so receivers may accept none. Delete all TXT records at this host. Then add one TXT record with the value below.',
    spf_multiple:
      'There is more than one SPF record at this host, and receivers accept only one. Delete all records at this host whose value begins with v=spf1, except one. Enter the value below in that one.',
    spf_version_wrong: `The value does not begin with v=spf1 and a space, so receivers ignore it. ${replaceValue}`,
    spf_syntax: `Receivers cannot read the value, because something in it is misspelt. ${replaceValue}`,
    spf_after_all: `The sending service comes after “all” in the value, where receivers stop reading. ${replaceValue}`,
    spf_overruled: `An earlier part of the value can make receivers reject email from the sending service. ${replaceValue}`,
    spf_missing_mechanism: `The value does not allow the sending service to send email. ${replaceValue}`,
    spf_too_many_lookups: `The value refers to so many other domains that receivers give up. ${replaceValue}`,
    spf_too_many_mx_hosts: `The value refers to a domain with so many mail servers that receivers give up. ${replaceValue}`,
    spf_too_many_void_lookups: `The value refers to names that do not exist, so receivers give up. ${replaceValue}`,
    spf_include_broken: `The value refers to a domain that has no valid SPF record, so receivers give up. ${replaceValue}`,
    sender_spf_broken: `The SPF record of the sending service is missing or broken. ${nothing} Please tell support.`,
    domain_unregistered: ({ at }) =>
      `The domain ${at} is not registered, or its registration has ended. Check its spelling. If you registered the domain, ask your registrar.`,
    ns_not_delegated: ({ at }) =>
      `The domain ${at} is registered, but it has no name servers. ${atRegistrar} enter the name servers of your DNS provider.`,
    delegation_mismatch: ({ at }) =>
      `For ${at}, other name servers are entered at the registrar than in the NS records of the zone itself, and receivers ask both. This often remains after a change of the DNS provider. Enter the name servers of your present DNS provider in both places.`,
    ns_inconsistent: ({ zone }) => `The name servers of ${zone} give different answers. ${waitForServers}`,
    answers_vary: ({ zone }) =>
      `A name server of ${zone} does not give the same answer each time. Check that the record exists only once at this host. ${waitForServers}`,
    key_stale: ({ zone }) => `One of the name servers of ${zone} still has another key. ${waitForServers}`,
    ns_lame: ({ zone }) =>
      `A server is registered as name server of ${zone}, but does not know this domain. ${atRegistrar} remove it, or ask your DNS provider to set it up.`,
    ns_alias: ({ zone }) =>
      `A name server of ${zone} is an alias (CNAME), and many receivers do not follow it. ${atRegistrar} replace it with a name server that has an address of its own, and do the same with the NS records of ${zone}.`,
    ns_without_authority: ({ zone }) =>
      `A name server of ${zone} is not set up correctly: it answers without authority. Receivers accept this. ${nothing} Please tell your DNS provider.`,
    ns_private_address: ({ zone }) =>
      `A name server of ${zone} cannot be reached from the internet. ${atRegistrar} remove it, or ask your DNS provider to give it a public address.`,
    server_failure: ({ at, name, zone }) =>
      at !== name
        ? `A name server of ${at} gave no usable answer. Your own name servers are not the cause. The check is repeated automatically. If the problem remains, contact the operator of ${at}.`
        : `A name server of ${zone} gave no usable answer. This says nothing about your record. The check is repeated automatically. If the problem remains, contact your DNS provider.`,
    resolver_failure: `The check itself failed. This says nothing about your record. The check is repeated automatically.`,
    negative_cached: `The record is correct, but some receivers still remember that it was not there. ${nothing} This clears up automatically.`,
    stale_cached: `The record is correct, but some receivers still remember what was there before. ${nothing} This clears up automatically.`,
    resolver_disagrees: ({ zone }) =>
      `The name servers of ${zone} have the record, but not every receiver gets it from them. This can last for a few minutes after a change. The check is repeated automatically. If the problem remains, contact your DNS provider.`,
    not_resolved: ({ zone }) =>
      `The name servers of ${zone} have the record, but receivers may get no answer from them. The check is repeated automatically. If the problem remains, ask your DNS provider whether each name server answers quickly, to questions with EDNS, and with valid DNSSEC signatures if the zone is signed.`,
    dnssec_bogus: ({ at }) =>
      `The DNSSEC signatures of ${at} are not valid, so many receivers do not see the record. ${atRegistrar} replace the DS records with those that your DNS provider shows you. If your DNS provider shows none, delete the DS records. If they are the same already, ask your DNS provider to sign the zone again.`,
    dnssec_bogus_alias: ({ at }) =>
      `The record at this host leads to ${at}, whose DNSSEC signatures are not valid, so many receivers do not see the record. Ask the operator of ${at} to correct this. Or replace what is at this host with the record below.`,
  },

  operator: {
    looksLike: (operator, zone) => `It looks like ${zone} is managed at ${operator}.`,
    unknown: (zone) =>
      `Log in where ${zone} is managed, and open its DNS settings. They are often called “DNS”, “Zone” or “Name servers”.`,
    manual: (operator) => `How to add records at ${operator}`,
    isAnother: 'The domain is managed elsewhere',
    isThis: (operator) => `The domain is managed at ${operator}`,
  },

  handOn: {
    heading: 'Does someone else manage the domain?',
    why: 'Send these instructions to that person. They contain all records, but no passwords and no other confidential data.',
    copyInstructions: 'Copy the instructions',
    downloadZoneFile: 'Download a BIND zone file',
    print: 'Print',
    instructions: {
      heading: (domain) => `DNS records for ${domain}`,
      request: (zone) => `Please enter these records in the DNS zone ${zone}`,
      required: 'required',
      advised: 'recommended',
      purpose: (product) => `They are for sending email with ${product}`,
      otherZone: (zone) => `In the DNS zone ${zone}`,
      unchecked: (zone) =>
        `These records belong in the DNS zone ${zone}. They could not be checked: enter those that are not there yet`,
      nothingToEnter: 'You do not have to enter anything for these records, but something is not correct yet:',
      alreadyRight: 'These records are already correct. Leave them as they are:',
      until: (deadline) => `They are needed by ${deadline}`,
    },
  },

  about: {
    nameServers: 'Name servers asked in the last check',
    answered: 'answered',
    silent: 'did not answer',
    nextHeading: 'What happens next',
    next: ({ domain, zone, state, mayCheck }) =>
      mayCheck && state !== 'published'
        ? [
            'You add the records. A change is usually seen within minutes, sometimes after a few hours.',
            `The records are checked at the name servers of ${zone ?? domain} again and again. You need not wait here.`,
            'Once the required records are correct, the domain is verified and a first email is sent as a test.',
          ]
        : [],
    support: 'Questions? Contact',
    supportUnknown: 'Questions? Contact the company that gave you this link.',
  },

  notFound: {
    headline: 'This link is not valid',
    next: 'It may have expired or been revoked. Ask the company that gave it to you for a new one.',
  },
  unavailable: {
    headline: 'This page is not available at the moment',
    next: 'Nothing is lost. Try again in a minute.',
  },
};
