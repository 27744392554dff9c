import type { Suite } from './suite.ts';
import { dnssec } from './suites/dnssec.ts';
import { delegations } from './suites/delegations.ts';
import { kubernetes } from './suites/kubernetes.ts';
import { markdown } from './suites/markdown.ts';
import { messages } from './suites/messages.ts';
import { producers } from './suites/producers.ts';
import { receivers } from './suites/receivers.ts';
import { requests } from './suites/requests.ts';
import { webhooks } from './suites/webhooks.ts';
import { zoneFiles } from './suites/zone-files.ts';
import { generated, zones } from './suites/zones.ts';

/** In the order in which they run, the quick ones first. */
export const suites: readonly Suite[] = [
  webhooks,
  zoneFiles,
  markdown,
  producers,
  kubernetes,
  messages,
  zones,
  generated,
  delegations,
  dnssec,
  receivers,
  requests,
];
