import type { VNode } from 'preact';

/** A page that only says something. */
export const MessagePage = ({ headline, next }: { readonly headline: string; readonly next: string }): VNode => (
  <section class="status status-neutral" aria-labelledby="headline">
    <h1 id="headline">{headline}</h1>
    <p class="lead">{next}</p>
  </section>
);
