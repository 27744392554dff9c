/**
 * Environment of the Temporal dev servers of tests, which share two processors with everything else: Go's garbage collector and
 * its idle threads are a tenth of what all tests compute.
 */
export const LIGHT_GO = { GOGC: '400', GOMAXPROCS: '1' } as const;
