/** Links to the Temporal UI; null if its address is not configured. */
export interface TemporalUi {
  workflowUrl(run: { readonly workflowId: string; readonly runId: string }): string | null;
}

/** @param url the UI's base URL, without a slash at its end */
export function temporalUi(url: string | undefined, namespace: string): TemporalUi {
  const inNamespace = (path: string): string | null =>
    url === undefined ? null : `${url}/namespaces/${encodeURIComponent(namespace)}/${path}`;
  return {
    workflowUrl: ({ workflowId, runId }) =>
      inNamespace(`workflows/${encodeURIComponent(workflowId)}/${encodeURIComponent(runId)}/history`),
  };
}
