export interface VirtualTime {
  now(): number;
  at(time: number, act: () => void): void;
  /** Lets time pass until nothing is left to happen or `isOver`. */
  run(isOver: () => boolean): void;
}

/** What is due at the same time happens in the order in which it was asked for. */
export function virtualTime(start: number): VirtualTime {
  const agenda: { time: number; order: number; act: () => void }[] = [];
  let now = start;
  let asked = 0;
  return {
    now: () => now,
    at(time, act) {
      const entry = { time: Math.max(time, now), order: asked++, act };
      let index = agenda.length;
      while (index > 0 && agenda[index - 1]!.time <= entry.time) index--;
      agenda.splice(index, 0, entry);
    },
    run(isOver) {
      for (let next = agenda.pop(); next !== undefined && !isOver(); next = agenda.pop()) {
        now = next.time;
        next.act();
      }
    },
  };
}
