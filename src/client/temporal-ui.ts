/** Links to Workflow Executions in the Temporal UI; null if its address is not configured. */
export type TemporalUi = ReturnType<typeof temporalUi>;

/** @param url the UI's base URL, without a slash at its end */
export const temporalUi =
  (url: string | undefined, namespace: string) =>
  ({ workflowId, runId }: { readonly workflowId: string; readonly runId: string }): string | null =>
    url === undefined
      ? null
      : `${url}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}/${encodeURIComponent(runId)}/history`;
