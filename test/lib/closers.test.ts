import { describe, expect, test, vi } from 'vitest';
import { createClosers, openTogether } from '../../src/lib/closers.ts';

describe('closers', () => {
  test('close newest first, each after the one before it has closed', async () => {
    const closed: string[] = [];
    const closers = createClosers();
    closers.add(() => closed.push('database'));
    closers.add(async () => {
      await Promise.resolve();
      closed.push('server');
    });
    await closers.close();
    expect(closed).toEqual(['server', 'database']);
  });

  test('a second close waits for the first and closes nothing twice', async () => {
    const close = vi.fn(() => Promise.resolve());
    const closers = createClosers();
    closers.add(close);
    await Promise.all([closers.close(), closers.close()]);
    await closers.close();
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('a close that fails keeps nothing open, and its error is thrown at the end', async () => {
    const close = vi.fn();
    const failure = new Error('the disk is gone');
    const closers = createClosers();
    closers.add(close);
    closers.add(() => {
      throw failure;
    });
    await expect(closers.close()).rejects.toBe(failure);
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('several closes that fail are all named', async () => {
    const closers = createClosers();
    closers.add(() => Promise.reject(new Error('one')));
    closers.add(() => Promise.reject(new Error('two')));
    await expect(closers.close()).rejects.toThrow('two; one');
  });
});

describe('openTogether', () => {
  test('leaves open what it returns', async () => {
    const close = vi.fn();
    const opened = await openTogether(async (closers) => {
      closers.add(close);
      return { stop: closers.close };
    });
    expect(close).not.toHaveBeenCalled();
    await opened.stop();
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('a failed start closes what it had opened and throws its own error; the error of a close becomes a warning', async () => {
    const close = vi.fn();
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const failure = new Error('the port is taken');
    const stuck = new Error('stuck');
    const opened = openTogether(async (closers) => {
      closers.add(close);
      closers.add(() => Promise.reject(stuck));
      throw failure;
    });
    await expect(opened).rejects.toBe(failure);
    expect(close).toHaveBeenCalledTimes(1);
    expect(await warned).toBe(stuck);
  });
});
