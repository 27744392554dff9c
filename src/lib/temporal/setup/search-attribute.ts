import type { defineSearchAttributeKey } from '@temporalio/common';

/** A Search Attribute that a Namespace must know before a Workflow may carry it. `defineSearchAttributeKey` makes one. */
export type SearchAttribute = ReturnType<typeof defineSearchAttributeKey>;
