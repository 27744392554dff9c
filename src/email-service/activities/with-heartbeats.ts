/** Several within the Activity's heartbeat timeout, so that one late heartbeat does no harm. */
const INTERVAL_MS = 2_000;

/** `heartbeat` must not throw. Another Worker then takes over a killed Worker's email after seconds instead of minutes. */
export async function withHeartbeats<T>(work: Promise<T>, heartbeat: () => void): Promise<T> {
  heartbeat();
  const beating = setInterval(heartbeat, INTERVAL_MS);
  try {
    return await work;
  } finally {
    clearInterval(beating);
  }
}
