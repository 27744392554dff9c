// By the name servers that the last check recorded: no server asks DNS because a stranger opens a page.
import type { DnsOperator } from './dns-operator.ts';
import { dnsOperators } from './operators.ts';

/**
 * The operator whose name servers these are; undefined if none or several match, or if one server is another's: a wrong guess
 * is worse for a tenant than none.
 * @param nameServers of the zone, absolute
 */
export function dnsOperatorOf(nameServers: readonly string[]): DnsOperator | undefined {
  if (nameServers.length === 0) return undefined;
  const names = nameServers.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const [one, ...others] = patterns.filter(([, ofOperator]) => names.every((name) => ofOperator.test(name)));
  return others.length === 0 ? one?.[0] : undefined;
}

/** One expression for each operator with name servers; linear in the name's length. */
const patterns = dnsOperators
  .filter(({ nameServers }) => nameServers.length > 0)
  .map((operator) => [operator, new RegExp(`^(?:${operator.nameServers.map(expression).join('|')})$`)] as const);

function expression(pattern: string): string {
  return pattern.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]*').replaceAll('#', '\\d+');
}
