import { describe, expect, test } from 'vitest';
import { dnsOperatorOf } from '../../../src/onboarding/dns-operators/operator-of.ts';
import { dnsOperators } from '../../../src/onboarding/dns-operators/operators.ts';
import { recordForm, type FormAdvice } from '../../../src/onboarding/dns-operators/record-form.ts';
import { dkimRecord, mxRecord, PARTS } from './records.ts';

interface Row {
  readonly name: string;
  /** Servers of one zone. Without them the operator cannot be told from others. */
  readonly servers: readonly string[];
  /** The fields of the DKIM and the MX record: label, separator, what is entered. */
  readonly txt: string;
  readonly mx: string;
  /** @default that of most forms: see the test */
  readonly txtAdvice?: readonly FormAdvice[];
  readonly mxAdvice?: readonly FormAdvice[];
}

const WHOLE = 'k1._domainkey.mail > whole';
const OR_PARTS = 'k1._domainkey.mail > whole, or in parts';
const MX = 'bounce.mail > 10 > mx.sendoff.example';
const DOTTED = `${MX}.`;

const rows: readonly Row[] = [
  {
    name: 'GoDaddy',
    servers: ['ns07.domaincontrol.com', 'ns08.domaincontrol.com'],
    txt: `Name ${WHOLE}`,
    mx: `Name ${MX}`,
    txtAdvice: ['zoneAppended'],
    mxAdvice: ['zoneAppended', 'noDot'],
  },
  {
    name: 'Cloudflare',
    servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    txt: `Name ${WHOLE} in Content`,
    mx: `Name ${MX}`,
    txtAdvice: ['zoneAppended'],
  },
  {
    name: 'Namecheap',
    servers: ['dns1.registrar-servers.com', 'dns2.registrar-servers.com'],
    txt: `Host ${WHOLE}`,
    mx: `Host ${MX}`,
    txtAdvice: ['zoneAppended', 'quotesRefused'],
    mxAdvice: ['zoneAppended', 'mayNeedDot', 'customMxOnly'],
  },
  {
    name: 'IONOS',
    servers: ['ns1023.ui-dns.com', 'ns1045.ui-dns.de', 'ns1088.ui-dns.org', 'ns1090.ui-dns.biz'],
    txt: `Hostname ${OR_PARTS}`,
    mx: `Hostname ${MX}`,
  },
  {
    name: 'Squarespace',
    servers: ['nsa1.squarespacedns.com', 'nsb2.squarespacedns.com', 'connect1.squarespacedns.com'],
    txt: `Host ${WHOLE} in Data`,
    mx: `Host ${MX}, Priority`,
    txtAdvice: ['zoneAppended'],
  },
  {
    name: 'Amazon Route 53',
    servers: ['ns-2048.awsdns-64.com', 'ns-1.awsdns-00.co.uk', 'ns-512.awsdns-00.net', 'ns-1024.awsdns-00.org'],
    txt: 'Record name k1._domainkey.mail > quoted parts',
    mx: 'Record name bounce.mail > 10 mx.sendoff.example',
    txtAdvice: ['zoneAppended', 'quotesBelong'],
    mxAdvice: ['zoneAppended', 'mayNeedDot', 'priorityInValue'],
  },
  {
    name: 'Google Cloud DNS',
    servers: [],
    txt: 'DNS name k1._domainkey.mail > quoted parts',
    mx: 'DNS name bounce.mail > 10 mx.sendoff.example.',
    txtAdvice: ['zoneAppended', 'quotesBelong'],
    mxAdvice: ['zoneAppended', 'dotBelongs', 'priorityInValue'],
  },
  {
    name: 'Azure DNS',
    servers: ['ns1-01.azure-dns.com', 'ns2-01.azure-dns.net', 'ns3-01.azure-dns.org', 'ns4-01.azure-dns.info'],
    txt: WHOLE,
    mx: MX,
    txtAdvice: ['zoneAppended'],
  },
  {
    name: 'Wix',
    servers: ['ns12.wixdns.net', 'ns13.wixdns.net'],
    txt: `Host Name ${OR_PARTS}`,
    mx: `Host Name ${MX}`,
    mxAdvice: ['zoneAppended', 'mayNeedDot', 'mxHostMayBeMissing'],
  },
  {
    name: 'Shopify',
    servers: [],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
    txtAdvice: ['zoneMayBeAppended', 'partsIfRefused'],
    mxAdvice: ['zoneMayBeAppended', 'mayNeedDot'],
  },
  {
    name: 'Hostinger',
    servers: ['ns1.dns-parking.com', 'ns2.dns-parking.com'],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
    txtAdvice: ['zoneAppended', 'partsIfRefused', 'longDefaultTtl'],
    mxAdvice: ['zoneAppended', 'mayNeedDot', 'longDefaultTtl'],
  },
  {
    name: 'Bluehost',
    servers: ['ns1.bluehost.com', 'ns2.bluehost.com'],
    txt: `Host Record ${OR_PARTS}`,
    mx: `Host Record ${MX}`,
  },
  {
    name: 'DreamHost',
    servers: ['ns1.dreamhost.com', 'ns2.dreamhost.com', 'ns3.dreamhost.com'],
    txt: `Host ${OR_PARTS}`,
    mx: `Host ${DOTTED}`,
    txtAdvice: ['zoneMayBeAppended', 'partsIfRefused'],
    mxAdvice: ['zoneMayBeAppended', 'dotBelongs', 'customMxPage'],
  },
  {
    name: 'OVHcloud',
    servers: ['dns107.ovh.net', 'ns107.ovh.net'],
    txt: `Sub-domain ${WHOLE}`,
    mx: `Sub-domain ${DOTTED}`,
    txtAdvice: ['zoneAppended', 'quotesRefused'],
    mxAdvice: ['zoneAppended', 'dotBelongs'],
  },
  {
    name: 'Gandi',
    servers: ['ns-125-a.gandi.net', 'ns-69-b.gandi.net', 'ns-55-c.gandi.net'],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${DOTTED} in Hostname`,
    mxAdvice: ['zoneAppended', 'dotBelongs'],
  },
  {
    name: 'STRATO',
    servers: ['docks12.rzone.de', 'shades07.rzone.de'],
    txt: `Präfix ${OR_PARTS} in Wert`,
    mx: `Präfix ${MX}`,
    txtAdvice: ['zoneAppended', 'partsIfRefused', 'noSpfPreset'],
  },
  {
    name: 'Hetzner',
    servers: ['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com', 'helium.ns.hetzner.de'],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
    txtAdvice: ['zoneAppended', 'partsIfRefused', 'twoConsoles'],
    mxAdvice: ['zoneAppended', 'mayNeedDot', 'twoConsoles'],
  },
  {
    name: 'Porkbun',
    servers: [
      'curitiba.ns.porkbun.com',
      'fortaleza.ns.porkbun.com',
      'maceio.ns.porkbun.com',
      'salvador.ns.porkbun.com',
    ],
    txt: `Host ${WHOLE} in Answer`,
    mx: `Host ${MX}`,
    txtAdvice: ['zoneAppended'],
    mxAdvice: ['zoneAppended', 'noDot'],
  },
  {
    name: 'Name.com',
    servers: ['ns1cvw.name.com', 'ns2gjp.name.com', 'ns3cgs.name.com', 'ns4.name.com'],
    txt: `Host ${WHOLE}`,
    mx: `Host ${MX}`,
    txtAdvice: ['zoneAppended', 'quotesRefused'],
  },
  {
    name: 'Network Solutions',
    servers: ['ns41.worldnic.com', 'ns42.worldnic.com'],
    txt: `Host ${OR_PARTS}`,
    mx: `Host ${DOTTED}`,
    mxAdvice: ['zoneAppended', 'dotBelongs', 'mxHostMayBeMissing'],
  },
  {
    name: 'DigitalOcean',
    servers: ['ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com'],
    txt: `Hostname ${OR_PARTS}`,
    mx: `Hostname ${DOTTED}`,
    mxAdvice: ['zoneAppended', 'dotBelongs'],
  },
  {
    name: 'Vercel',
    servers: ['ns1.vercel-dns.com', 'ns2.vercel-dns.com'],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
  },
  {
    name: 'Netlify',
    servers: [],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
  },
  {
    name: 'IBM NS1 Connect',
    servers: [],
    txt: OR_PARTS,
    mx: MX,
    txtAdvice: ['zoneMayBeAppended', 'partsIfRefused'],
    mxAdvice: ['zoneMayBeAppended', 'mayNeedDot'],
  },
  {
    name: 'DNSimple',
    servers: ['ns1.dnsimple-edge.com', 'ns2.dnsimple-edge.net', 'ns3.dnsimple-edge.io', 'ns4.dnsimple-edge.org'],
    txt: `Name ${WHOLE} in Content`,
    mx: `Name ${DOTTED}`,
    txtAdvice: ['zoneAppended', 'quotesRefused'],
    mxAdvice: ['zoneAppended', 'dotBelongs'],
  },
  {
    name: 'Hover',
    servers: ['ns1.hover.com', 'ns2.hover.com'],
    txt: `Hostname ${OR_PARTS} in Content`,
    mx: `Hostname ${MX} in Mail Server`,
  },
  {
    name: 'united-domains',
    servers: ['ns.udag.de', 'ns.udag.net', 'ns.udag.org'],
    txt: OR_PARTS,
    mx: MX,
    txtAdvice: ['zoneMayBeAppended', 'partsIfRefused'],
    mxAdvice: ['zoneMayBeAppended', 'mayNeedDot'],
  },
  {
    name: 'INWX',
    servers: ['ns.inwx.de', 'ns2.inwx.de', 'ns3.inwx.eu'],
    txt: OR_PARTS,
    mx: MX,
    txtAdvice: ['zoneMayBeAppended', 'partsIfRefused'],
    mxAdvice: ['zoneMayBeAppended', 'mayNeedDot'],
  },
  {
    name: 'ALL-INKL',
    servers: ['ns5.kasserver.com', 'ns6.kasserver.com'],
    txt: `Name ${WHOLE} in Data`,
    mx: `Name ${MX}, PRIO`,
    txtAdvice: ['zoneAppended', 'quotesRefused', 'onePaste'],
  },
  {
    name: 'WordPress.com',
    servers: ['ns1.wordpress.com', 'ns2.wordpress.com', 'ns3.wordpress.com'],
    txt: `Name ${OR_PARTS}`,
    mx: `Name ${MX}`,
  },
];

const operator = (name: string) => dnsOperators.find((one) => one.name === name)!;

describe('the table of DNS operators', () => {
  test('has one test for each row', () => {
    expect(rows.map(({ name }) => name)).toEqual(dnsOperators.map(({ name }) => name));
  });

  test.each(rows)('$name is recognised by its name servers, and its form has what is entered', (row) => {
    if (row.servers.length > 0) expect(dnsOperatorOf(row.servers)).toBe(operator(row.name));
    for (const name of row.servers) expect(dnsOperatorOf([`${name.toUpperCase()}.`])).toBe(operator(row.name));

    const txt = recordForm(dkimRecord, operator(row.name));
    const { labels, host, value, chunks } = txt;
    const how =
      value === dkimRecord.value
        ? `whole${chunks === undefined ? '' : ', or in parts'}`
        : value === `"${PARTS[0]}" "${PARTS[1]}"`
          ? 'quoted parts'
          : value;
    expect([labels.host, host, '>', how, labels.value && `in ${labels.value}`].filter(Boolean).join(' ')).toBe(row.txt);
    expect(txt.advice).toEqual(row.txtAdvice ?? ['zoneAppended', 'partsIfRefused']);

    const mx = recordForm(mxRecord, operator(row.name));
    const fields = [mx.host, mx.priority, mx.value].filter((field) => field !== undefined).join(' > ');
    const inField = mx.labels.value === undefined ? '' : ` in ${mx.labels.value}`;
    const priority = mx.labels.priority === undefined ? '' : `, ${mx.labels.priority}`;
    expect(`${mx.labels.host ?? ''} ${fields}${inField}${priority}`.trim()).toBe(row.mx);
    expect(mx.advice).toEqual(row.mxAdvice ?? ['zoneAppended', 'mayNeedDot']);
  });

  test.each(dnsOperators)('the manual of $name is a page of the operator over HTTPS', ({ manual }) => {
    if (manual !== undefined) expect(manual).toMatch(/^https:\/\/[a-z0-9.-]+\/\S*$/);
  });
});
