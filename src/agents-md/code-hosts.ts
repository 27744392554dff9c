import type { CodeHost, HostName } from './code-host.ts';
import { bitbucket } from './hosts/bitbucket.ts';
import { codeberg } from './hosts/codeberg.ts';
import { github } from './hosts/github.ts';
import { gitlab } from './hosts/gitlab.ts';

export const codeHosts: Readonly<Record<HostName, CodeHost>> = {
  'github.com': github,
  'gitlab.com': gitlab,
  'codeberg.org': codeberg,
  'bitbucket.org': bitbucket,
};

export const isHostName = (value: unknown): value is HostName =>
  typeof value === 'string' && Object.hasOwn(codeHosts, value);
