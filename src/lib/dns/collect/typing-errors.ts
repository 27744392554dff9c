// What typing and reading make of a word, on the keyboards of most languages (QWERTY; of others, most keys are the same).

/** As they lie below each other: each row begins half a key further to the right. */
const ROWS = ['1234567890-', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const;

/** Letters and digits that many fonts draw alike. */
const ALIKE = ['0 o', '1 l', '1 i', 'i l', '5 s', '8 b', '6 b', '2 z', '9 g', 'g q', '9 q', 'm n', 'm rn', 'u v'].map(
  (pair) => pair.split(' '),
);

const onRow = new Map<string, readonly string[]>();
const onOtherRows = new Map<string, readonly string[]>();
for (const [row, keys] of ROWS.entries()) {
  for (const [at, key] of Array.from(keys).entries()) {
    const keysAt = (line: string | undefined, ...places: readonly number[]): readonly string[] =>
      places.map((place) => line?.[place] ?? '-').filter((one) => one !== '-');
    const looks = ALIKE.filter((pair) => pair.includes(key)).flatMap((pair) => pair.filter((one) => one !== key));
    onRow.set(key, [...keysAt(keys, at - 1, at + 1), ...looks]);
    onOtherRows.set(key, [...keysAt(ROWS[row - 1], at, at + 1), ...keysAt(ROWS[row + 1], at - 1, at)]);
  }
}

/**
 * One error each, in groups by how often it happens: a character is missing, doubled or swapped; it is that beside it on the keyboard, or
 * looks like it; it is one of another row; the key beside it was hit as well.
 */
export function typingErrors(word: string): readonly (readonly string[])[] {
  const places = Array.from(word, (_, at) => at);
  /** @param from where the word goes on, from the place of the character */
  const withKeys = (keys: ReadonlyMap<string, readonly string[]>, before: 0 | 1, from: 0 | 1): readonly string[] =>
    places.flatMap((at) =>
      (keys.get(word.charAt(at)) ?? []).map((key) => word.slice(0, at + before) + key + word.slice(at + from)),
    );
  const slips = [
    ...places.map((at) => word.slice(0, at) + word.slice(at + 1)),
    ...places.map((at) => word.slice(0, at + 1) + word.slice(at)),
    ...places.slice(1).map((at) => word.slice(0, at - 1) + word.charAt(at) + word.charAt(at - 1) + word.slice(at + 1)),
  ];
  const groups = [
    slips,
    withKeys(onRow, 0, 1),
    withKeys(onOtherRows, 0, 1),
    [...withKeys(onRow, 1, 1), ...withKeys(onRow, 0, 0)],
  ];
  const known = new Set(['', word]);
  return groups.map((errors) =>
    errors.filter((one) => {
      const isNew = !known.has(one);
      known.add(one);
      return isNew;
    }),
  );
}
