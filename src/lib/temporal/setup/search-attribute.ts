import type { defineSearchAttributeKey } from '@temporalio/common';

/** A Search Attribute must be registered in the Namespace before a Workflow can use it. */
export type SearchAttribute = ReturnType<typeof defineSearchAttributeKey>;
