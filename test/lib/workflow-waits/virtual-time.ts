export interface VirtualTime {
  now(): number;
  /** Events of the same time happen in the order of these calls; `run` awaits what `act` returns. */
  at(time: number, act: () => void | Promise<void>): void;
  /** Returns when nothing is left to happen or `isOver`. */
  run(isOver: () => boolean): Promise<void>;
}

export function virtualTime(start: number): VirtualTime {
  const agenda: { time: number; act: () => void | Promise<void> }[] = [];
  let now = start;
  return {
    now: () => now,
    at(time, act) {
      const entry = { time: Math.max(time, now), act };
      let index = agenda.length;
      while (index > 0 && agenda[index - 1]!.time <= entry.time) index--;
      agenda.splice(index, 0, entry);
    },
    async run(isOver) {
      for (let next = agenda.pop(); next !== undefined && !isOver(); next = agenda.pop()) {
        now = next.time;
        const acted = next.act();
        if (acted !== undefined) await acted;
      }
    },
  };
}
