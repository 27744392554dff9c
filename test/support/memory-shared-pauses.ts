import type { SharedPause, SharedPauses } from '../../src/agents-md/shared-pauses.ts';

export function memorySharedPauses(): SharedPauses {
  const pauses = new Map<string, SharedPause>();
  return {
    get: async (origin) => pauses.get(origin),
    async put(origin, pause) {
      if (pause.untilMs > (pauses.get(origin)?.untilMs ?? 0)) pauses.set(origin, pause);
    },
  };
}
