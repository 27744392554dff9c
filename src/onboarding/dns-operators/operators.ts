// What the DNS operators' own pages and APIs say, and what guides of other services and public code say where those agree
// (DNSControl, Microsoft 365, Amazon SES, SendKit, Lettr, Resend, Entri, Domain Connect, Thunderbird; as of November 2026).
// What no source says is left out: a wrong statement is worse for a tenant than none.
import type { DnsOperator } from './dns-operator.ts';

export const dnsOperators: readonly DnsOperator[] = [
  {
    // Microsoft 365, Entri and issues in sendgrid/docs; Thunderbird for long values.
    name: 'GoDaddy',
    nameServers: ['*.domaincontrol.com'],
    form: { labels: { host: 'Name' }, appendsZone: true, apex: '@', longText: 'whole', mxDot: false, cnameDot: false },
    manual: 'https://www.godaddy.com/help/add-a-txt-record-19232',
  },
  {
    // Cloudflare's documentation.
    name: 'Cloudflare',
    nameServers: ['*.ns.cloudflare.com', '*.foundationdns.com', '*.foundationdns.net', '*.foundationdns.org'],
    form: {
      labels: { host: 'Name', text: 'Content', target: 'Target' },
      appendsZone: true,
      apex: '@',
      longText: 'whole',
      notes: { CNAME: ['proxyOff'] },
    },
    manual: 'https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/',
  },
  {
    // Microsoft 365 and SendKit; DNSControl for the quotation marks.
    name: 'Namecheap',
    nameServers: ['*.registrar-servers.com'],
    form: {
      labels: { host: 'Host' },
      appendsZone: true,
      apex: '@',
      longText: 'whole',
      quotes: 'refused',
      notes: { MX: ['customMxOnly'] },
    },
    manual:
      'https://www.namecheap.com/support/knowledgebase/article.aspx/317/2237/how-do-i-add-txtspfdkimdmarc-records-for-my-domain',
  },
  {
    // IONOS's help pages, in German the one about DKIM.
    name: 'IONOS',
    nameServers: ['*.ui-dns.com', '*.ui-dns.de', '*.ui-dns.org', '*.ui-dns.biz'],
    form: { labels: { host: 'Hostname' }, appendsZone: true, apex: '@' },
    manual:
      'https://www.ionos.com/help/domains/configuring-txt-and-srv-records/adding-editing-or-removing-txt-records/',
  },
  {
    // Guides of other services; zones that it serves. Former Google Domains zones share their servers with Google Cloud DNS.
    name: 'Squarespace',
    nameServers: ['*.squarespacedns.com', 'ns-cloud-*.googledomains.com'],
    form: {
      labels: { host: 'Host', text: 'Data', priority: 'Priority' },
      appendsZone: true,
      apex: '@',
      longText: 'whole',
      mxPriority: 'ownField',
    },
    manual: 'https://support.squarespace.com/hc/en-us/articles/360002101888',
  },
  {
    // AWS's Route 53 Developer Guide; Amazon SES.
    name: 'Amazon Route 53',
    nameServers: ['ns-#.awsdns-#.com', 'ns-#.awsdns-#.net', 'ns-#.awsdns-#.org', 'ns-#.awsdns-#.co.uk'],
    form: { labels: { host: 'Record name' }, appendsZone: true, longText: 'quotedParts', mxPriority: 'inValue' },
    manual: 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html',
  },
  {
    // Google's documentation; Mailhardener for quotation marks.
    name: 'Google Cloud DNS',
    nameServers: ['ns-cloud-*.googledomains.com'],
    form: {
      labels: { host: 'DNS name' },
      appendsZone: true,
      longText: 'quotedParts',
      mxDot: true,
      mxPriority: 'inValue',
    },
    manual: 'https://cloud.google.com/dns/docs/records',
  },
  {
    // Microsoft's documentation.
    name: 'Azure DNS',
    nameServers: ['*.azure-dns.com', '*.azure-dns.net', '*.azure-dns.org', '*.azure-dns.info'],
    form: { appendsZone: true, apex: '@', longText: 'whole' },
    manual: 'https://learn.microsoft.com/azure/dns/dns-zones-records',
  },
  {
    // Guides of other services, which quote Wix; they disagree on MX records of subdomains.
    name: 'Wix',
    nameServers: ['*.wixdns.net'],
    form: { labels: { host: 'Host Name' }, appendsZone: true, apex: 'empty', notes: { MX: ['mxHostMayBeMissing'] } },
    manual: 'https://support.wix.com/en/article/adding-or-updating-txt-records-in-your-wix-account',
  },
  {
    // Amazon SES. Shopify publishes no name servers for the domains that it sells.
    name: 'Shopify',
    nameServers: [],
    form: { labels: { host: 'Name' } },
    manual: 'https://help.shopify.com/en/manual/domains/managing-domains/edit-dns-settings',
  },
  {
    // SendKit and Lettr; Hostinger's own instructions for the name servers.
    name: 'Hostinger',
    nameServers: ['*.dns-parking.com'],
    form: { labels: { host: 'Name' }, appendsZone: true, notes: { every: ['longDefaultTtl'] } },
    manual: 'https://support.hostinger.com/en/articles/1583249-how-to-manage-dns-records-at-hostinger',
  },
  {
    // Microsoft 365 and SendKit.
    name: 'Bluehost',
    nameServers: ['*.bluehost.com'],
    form: { labels: { host: 'Host Record' }, appendsZone: true, apex: '@' },
    manual: 'https://www.bluehost.com/help/article/dns-management-add-edit-or-delete-dns-entries',
  },
  {
    // Two guides; a third enters full names, so nothing is said of the zone being appended.
    name: 'DreamHost',
    nameServers: ['ns1.dreamhost.com', 'ns2.dreamhost.com', 'ns3.dreamhost.com'],
    form: { labels: { host: 'Host' }, apex: 'empty', mxDot: true, notes: { MX: ['customMxPage'] } },
    manual: 'https://help.dreamhost.com/hc/en-us/articles/360035516812-Adding-custom-DNS-records',
  },
  {
    // OVHcloud's guides.
    name: 'OVHcloud',
    nameServers: ['*.ovh.net', '*.ovh.ca', '*.anycast.me'],
    form: { labels: { host: 'Sub-domain' }, appendsZone: true, quotes: 'refused', mxDot: true, cnameDot: true },
    manual: 'https://docs.ovhcloud.com/en/guides/web-cloud/domains/dns-zone-dkim',
  },
  {
    // SendKit and Microsoft 365; no page of Gandi's was seen.
    name: 'Gandi',
    nameServers: ['ns-#-*.gandi.net'],
    form: { labels: { host: 'Name', mailServer: 'Hostname' }, appendsZone: true, mxDot: true },
  },
  {
    // STRATO's FAQ.
    name: 'STRATO',
    nameServers: ['docks*.rzone.de', 'shades*.rzone.de'],
    form: { labels: { host: 'Präfix', text: 'Wert' }, appendsZone: true, notes: { TXT: ['noSpfPreset'] } },
    manual: 'https://www.strato.de/faq/domains/was-ist-der-txt-record-und-wie-kann-ich-ihn-verwenden/',
  },
  {
    // Public tables of name servers; Hetzner's issue trackers. No page of its manual was seen.
    name: 'Hetzner',
    nameServers: [
      '*.ns.hetzner.com',
      '*.ns.hetzner.de',
      '*.your-server.de',
      '*.second-ns.com',
      '*.second-ns.de',
      '*.first-ns.de',
    ],
    form: { labels: { host: 'Name' }, appendsZone: true, apex: '@', notes: { every: ['twoConsoles'] } },
  },
  {
    // Thunderbird, with a zone that it serves.
    name: 'Porkbun',
    nameServers: [
      'curitiba.ns.porkbun.com',
      'fortaleza.ns.porkbun.com',
      'maceio.ns.porkbun.com',
      'salvador.ns.porkbun.com',
    ],
    form: {
      labels: { host: 'Host', text: 'Answer' },
      appendsZone: true,
      apex: 'empty',
      longText: 'whole',
      mxDot: false,
    },
    manual: 'https://kb.porkbun.com/article/231-how-to-add-dns-records-on-porkbun',
  },
  {
    // Amazon SES and SendKit; DNSControl for quotation marks and length.
    name: 'Name.com',
    nameServers: ['ns1*.name.com', 'ns2*.name.com', 'ns3*.name.com', 'ns4*.name.com'],
    form: { labels: { host: 'Host' }, appendsZone: true, apex: 'empty', quotes: 'refused', textMax: 512 },
    manual: 'https://www.name.com/support/articles/115004972547-Adding-a-TXT-Record',
  },
  {
    // Microsoft 365 and SendKit.
    name: 'Network Solutions',
    nameServers: ['ns#.worldnic.com'],
    form: {
      labels: { host: 'Host' },
      appendsZone: true,
      apex: '@',
      mxDot: true,
      notes: { MX: ['mxHostMayBeMissing'] },
    },
    manual: 'https://www.networksolutions.com/help/article/dns-manage-advanced-dns-records',
  },
  {
    // Thunderbird, with a zone that it serves; DNSControl for the length.
    name: 'DigitalOcean',
    nameServers: ['ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com'],
    form: { labels: { host: 'Hostname' }, appendsZone: true, apex: '@', textMax: 512, mxDot: true },
    manual: 'https://docs.digitalocean.com/products/networking/dns/how-to/manage-records/',
  },
  {
    // Resend and SendKit.
    name: 'Vercel',
    nameServers: ['*.vercel-dns.com'],
    form: { labels: { host: 'Name' }, appendsZone: true, apex: '@' },
    manual: 'https://vercel.com/docs/domains/managing-dns-records',
  },
  {
    // Resend. It rents its servers from NS1, as others do.
    name: 'Netlify',
    nameServers: ['dns#.p#.nsone.net'],
    form: { labels: { host: 'Name' }, appendsZone: true },
    manual: 'https://docs.netlify.com/domains-https/netlify-dns/dns-records/',
  },
  {
    // Public tables of name servers.
    name: 'IBM NS1 Connect',
    nameServers: ['dns#.p#.nsone.net'],
    form: {},
    manual: 'https://www.ibm.com/docs/en/ns1-connect',
  },
  {
    // DNSimple's support articles.
    name: 'DNSimple',
    nameServers: [
      'ns1.dnsimple-edge.com',
      'ns2.dnsimple-edge.net',
      'ns3.dnsimple-edge.io',
      'ns4.dnsimple-edge.org',
      'ns1.dnsimple.com',
      'ns2.dnsimple.com',
      'ns3.dnsimple.com',
      'ns4.dnsimple.com',
    ],
    form: {
      labels: { host: 'Name', text: 'Content' },
      appendsZone: true,
      apex: '@',
      longText: 'whole',
      quotes: 'refused',
      textMax: 1_000,
      mxDot: true,
      cnameDot: true,
    },
    manual: 'https://support.dnsimple.com/articles/set-up-dkim/',
  },
  {
    // SendKit and Microsoft 365.
    name: 'Hover',
    nameServers: ['ns1.hover.com', 'ns2.hover.com'],
    form: { labels: { host: 'Hostname', text: 'Content', mailServer: 'Mail Server' }, appendsZone: true, apex: '@' },
    manual: 'https://help.hover.com/hc/en-us/articles/217282457-Managing-DNS-records',
  },
  {
    // Public tables of name servers.
    name: 'united-domains',
    nameServers: ['ns.udag.de', 'ns.udag.net', 'ns.udag.org'],
    form: {},
  },
  {
    // INWX's knowledge base; DNSControl.
    name: 'INWX',
    nameServers: ['ns.inwx.de', 'ns2.inwx.de', 'ns3.inwx.eu'],
    form: {},
    manual: 'https://kb.inwx.com/',
  },
  {
    // ALL-INKL's guide to DKIM.
    name: 'ALL-INKL',
    nameServers: ['ns5.kasserver.com', 'ns6.kasserver.com'],
    form: {
      labels: { host: 'Name', text: 'Data', priority: 'PRIO' },
      appendsZone: true,
      apex: 'empty',
      quotes: 'refused',
      mxPriority: 'ownField',
      notes: { TXT: ['onePaste'] },
    },
    manual:
      'https://all-inkl.com/wichtig/anleitungen/providerwechsel/einrichtung/dns/dkim-bei-versand-ueber-externe-mailserver_444.html',
  },
  {
    // The source of WordPress.com's client, wp-calypso.
    name: 'WordPress.com',
    nameServers: ['*.wordpress.com'],
    form: { labels: { host: 'Name' }, appendsZone: true, apex: 'empty', textMax: 2_048 },
    manual: 'https://wordpress.com/support/domains/custom-dns/',
  },
];
