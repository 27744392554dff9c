/** Of a Workflow and an Activity, as the official packages write it: their spans and ours are of one trace. */
export const TRACE_HEADER = '_tracer-data';
