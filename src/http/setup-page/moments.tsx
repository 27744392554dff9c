import type { VNode } from 'preact';
import type { SetupTexts } from './texts/setup-texts.ts';

interface MomentProps {
  /** RFC 3339. */
  readonly at: string;
  readonly tag: string;
}

/** In UTC; the script shows it in the reader's time zone. */
export function Moment({ at, tag }: MomentProps): VNode {
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return <time datetime={at}>{`${format.format(new Date(at))} UTC`}</time>;
}

export function SentenceWithMoment({ sentence, at, tag }: MomentProps & { sentence: (time: string) => string }): VNode {
  const [before = '', after = ''] = sentence('\u0000').split('\u0000');
  return (
    <>
      {before}
      <Moment at={at} tag={tag} />
      {after}
    </>
  );
}

const MINUTE_MS = 60_000;

/** `2 days 4 hours` */
export function timeLeft(deadline: string, nowMs: number, { checks }: SetupTexts): string {
  const minutes = Math.ceil((Date.parse(deadline) - nowMs) / MINUTE_MS);
  if (minutes <= 0) return checks.timeOver;
  return checks.duration({
    days: Math.floor(minutes / 1_440),
    hours: Math.floor((minutes % 1_440) / 60),
    minutes: minutes % 60,
  });
}
