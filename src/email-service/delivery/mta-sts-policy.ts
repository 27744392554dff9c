// MTA-STS (RFC 8461): what a policy says. mailauth's parser is not used: its wildcard matches several labels, and of a repeated field it
// takes the last.
export interface MtaStsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** Names of MX hosts in lower case, or `*.` and a name. */
  readonly mx: readonly string[];
  readonly maxAgeSeconds: number;
}

/** Section 3.2. What says more is no policy; how long one is kept is decided in find-mta-sts-policy.ts. */
const MAX_AGE_SECONDS_MAX = 31_557_600;
const MX_MAX = 500;

/** Section 3.1: the id of the only record; undefined if there is none or several. @param texts of TXT records, their strings joined */
export function policyIdIn(texts: readonly string[]): string | undefined {
  const records = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  const [record = ''] = records;
  if (records.length !== 1) return undefined;
  const ids = record
    .split(';')
    .flatMap((field) => /^[ \t]*id[ \t]*=[ \t]*([A-Za-z0-9]{1,32})[ \t]*$/.exec(field)?.[1] ?? []);
  return ids[0];
}

/** Section 3.2. Undefined if it is none. */
export function parsePolicy(text: string): MtaStsPolicy | undefined {
  const first = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    // Of a repeated field, all but the first are ignored.
    if (name === 'mx') mx.push(value.toLowerCase().replace(/\.$/, ''));
    else if (!first.has(name)) first.set(name, value);
  }
  const [mode, maxAge = ''] = [first.get('mode'), first.get('max_age')];
  const maxAgeSeconds = /^\d{1,10}$/.test(maxAge) ? Number(maxAge) : Infinity;
  if (first.get('version') !== 'STSv1' || maxAgeSeconds > MAX_AGE_SECONDS_MAX) return undefined;
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return undefined;
  if (mode !== 'none' && (mx.length === 0 || mx.length > MX_MAX)) return undefined;
  return { mode, mx: mode === 'none' ? [] : mx, maxAgeSeconds };
}

/** Section 4.1: `*` stands for exactly one label. */
export function allowsHost({ mx }: Pick<MtaStsPolicy, 'mx'>, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  const parent = name.slice(name.indexOf('.') + 1);
  return mx.some((pattern) => pattern === name || (name.includes('.') && pattern === `*.${parent}`));
}
