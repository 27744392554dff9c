import type { CallFault, Fault, Occurrences, WebhookFault } from './fault.ts';

export interface FaultScript {
  /** The fault that this call meets, if any; counts as an occurrence. */
  forCall(call: { method: string; path: string; account: string | undefined }): CallFault | undefined;
  /** The fault that this webhook meets, if any; counts as an occurrence. */
  forWebhook(webhook: { event: string; account: string | undefined }): WebhookFault | undefined;
  /** Appends a fault. */
  add(fault: Fault): void;
}

/** Faults in order of precedence: the first one that fits and is due applies to the call or webhook. */
export function createFaultScript(faults: readonly Fault[]): FaultScript {
  const entries = faults.map((fault) => ({ fault, seen: 0 }));

  function next<Kind extends Fault>(fits: (fault: Fault) => fault is Kind): Kind | undefined {
    for (const entry of entries) {
      const { fault } = entry;
      if (!fits(fault)) continue;
      entry.seen += 1;
      if (isDue(fault.when ?? { first: 1 }, entry.seen)) return fault;
    }
    return undefined;
  }

  return {
    forCall: ({ method, path, account }) =>
      next(
        (fault): fault is CallFault =>
          fault.on === 'call' &&
          (fault.method ?? method) === method &&
          pathFits(fault.path, path) &&
          (fault.account ?? account) === account,
      ),
    forWebhook: ({ event, account }) =>
      next(
        (fault): fault is WebhookFault =>
          fault.on === 'webhook' && (fault.event ?? event) === event && (fault.account ?? account) === account,
      ),
    add(fault) {
      entries.push({ fault, seen: 0 });
    },
  };
}

function isDue(when: Occurrences, occurrence: number): boolean {
  if (when === 'always') return true;
  return 'first' in when ? occurrence <= when.first : occurrence === when.only;
}

function pathFits(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const segments = path.split('/');
  return (
    expected.length === segments.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  );
}
