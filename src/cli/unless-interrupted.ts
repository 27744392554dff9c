/**
 * Follows what goes on without us until its end, or until somebody interrupts: then it resolves with the exit code.
 *
 * @param follow ends when its signal is aborted
 */
export async function unlessInterrupted<End>(
  interrupted: Promise<number>,
  follow: (signal: AbortSignal) => Promise<End>,
): Promise<End | number> {
  const following = new AbortController();
  void interrupted.then(() => {
    following.abort(new Error('no longer followed'));
  });
  const end = follow(following.signal);
  // Once aborted it rejects, and by then the interruption has been answered.
  end.catch(() => undefined);
  return Promise.race([end, interrupted]);
}
