import { expect } from 'vitest';
import type { Call } from './scripted-provider.ts';

/** Something that others wait for. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Makes calls of the scripted provider wait, before their effect or with their answer, until the test lets them go. */
export function heldCalls(isHeld: (call: Call, tenantId: string) => boolean) {
  const { open, opened } = gate();
  const tenants = new Set<string>();
  return {
    hold: async (call: Call, tenantId: string): Promise<void> => {
      if (!isHeld(call, tenantId)) return;
      tenants.add(tenantId);
      await opened;
    },
    /** The calls of so many tenants are under way. */
    untilHeld: (count = 1): Promise<void> => expect.poll(() => tenants.size, { timeout: 20_000 }).toBe(count),
    letGo: open,
  };
}
