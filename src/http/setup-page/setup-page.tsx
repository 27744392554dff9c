import type { VNode } from 'preact';
import { failures, isFailureType } from '../../onboarding/failures.ts';
import { arePublished } from '../../onboarding/required-records.ts';
import { Moment, SentenceWithMoment } from './moments.tsx';
import { RecordCard } from './record-card.tsx';
import { instructionText, sharedProblems, zoneOf } from './texts/instruction-text.ts';
import type { CheckNotice, SetupEnd, SetupState, SetupView } from './setup-view.ts';
import type { Product, SetupTexts } from './texts/setup-texts.ts';

export interface SetupPageProps {
  readonly view: SetupView;
  readonly texts: SetupTexts;
  /** Version of the record; it differs after every change. */
  readonly version: string;
  /** Of everything that is shown but the notice. */
  readonly etag: string;
  readonly notice: CheckNotice | undefined;
  /** The query of this page, such as `?lang=de`, with changes; `undefined` takes a parameter out. */
  readonly query: (changes: Readonly<Record<string, string | undefined>>) => string;
  /** Undefined without a deadline. */
  readonly timeLeft: string | undefined;
  readonly product: Product;
}

/** Everything that the script replaces when something has changed. */
export function SetupPage(props: SetupPageProps): VNode {
  const { view, texts, version, etag } = props;
  const { headline } = texts.states[view.state](view);
  const isUndone = view.state === 'cancelled' || (view.end !== null && keeps(view.end) === 'nothing');
  const isOver = isUndone || view.records.length === 0;
  return (
    <div
      id="view"
      data-version={version}
      data-etag={etag}
      data-headline={headline}
      data-copied={texts.records.copied}
      data-checking={texts.checks.checking}
    >
      <Status {...props} headline={headline} />
      {!isOver && <Records {...props} />}
      {!isOver && view.state !== 'failed' && <HandOn {...props} />}
      {!isOver && <About {...props} />}
    </div>
  );
}

const tones: Readonly<Record<SetupState, 'neutral' | 'good' | 'bad'>> = {
  preparing: 'neutral',
  waiting: 'neutral',
  wrong: 'bad',
  unanswered: 'bad',
  published: 'good',
  verified: 'good',
  delivered: 'good',
  drifted: 'bad',
  failed: 'bad',
  cancelled: 'neutral',
};

function Status({ view, texts, notice, query, timeLeft, headline }: SetupPageProps & { headline: string }): VNode {
  const { state, end, checkedAt, nextCheckAt, deadline } = view;
  const { checks, tag } = texts;
  const { next } = texts.states[state](view);
  const isLive = end === null && state !== 'delivered' && state !== 'drifted';
  return (
    <section class={`status status-${tones[state]}`} aria-labelledby="headline">
      <p class="domain">{view.domain}</p>
      <h1 id="headline">{headline}</h1>
      <p class="lead">{end === null ? next : texts.ends[end.type](end, view)}</p>
      {end !== null && end.reason !== '' && <p class="lead">{next}</p>}
      <Steps view={view} texts={texts} />
      {notice !== undefined && (
        <p class="notice" id="notice">
          {texts.notices[notice]}
        </p>
      )}
      <div class="check">
        {view.mayCheck && (
          <form method="post" action={query({ checked: undefined })} id="check-now">
            <button type="submit" class="primary">
              {checks.checkNow}
            </button>
          </form>
        )}
        <dl class="times">
          <div>
            <dt>{checks.lastChecked}</dt>
            <dd>{checkedAt === null ? checks.notChecked : <Moment at={checkedAt} tag={tag} />}</dd>
          </div>
          {nextCheckAt !== null && (
            <div>
              <dt>{checks.nextCheck}</dt>
              <dd>
                <Moment at={nextCheckAt} tag={tag} />
              </dd>
            </div>
          )}
          {deadline !== null && (
            <div>
              <dt>{checks.timeLeft}</dt>
              <dd>
                {timeLeft}
                {timeLeft !== checks.timeOver && (
                  <span class="until">
                    {' '}
                    <SentenceWithMoment sentence={checks.until} at={deadline} tag={tag} />
                  </span>
                )}
              </dd>
            </div>
          )}
        </dl>
        {isLive && (
          <p class="live">
            <a class="refresh" href={query({ checked: undefined })}>
              {checks.refresh}
            </a>
            <span class="live-text" hidden>
              {checks.live}
            </span>
          </p>
        )}
      </div>
    </section>
  );
}

type StepState = 'done' | 'current' | 'ahead' | 'stopped' | 'lost';

type StepStates = readonly [StepState, StepState, StepState];

function stepsOf({ state, end, records }: SetupView): StepStates | undefined {
  switch (state) {
    case 'preparing':
    case 'waiting':
    case 'wrong':
    case 'unanswered':
      return ['current', 'ahead', 'ahead'];
    case 'published':
      return ['done', 'current', 'ahead'];
    case 'verified':
      return ['done', 'done', 'current'];
    case 'delivered':
      return ['done', 'done', 'done'];
    case 'drifted':
      return ['lost', 'done', 'done'];
    case 'cancelled':
      return undefined;
    case 'failed':
      if (end?.type === 'DomainVerificationTimedOut' || end?.type === 'DomainNotVerified') {
        return arePublished(records) ? ['done', 'stopped', 'ahead'] : ['stopped', 'ahead', 'ahead'];
      }
      // What fails after the first email undoes nothing.
      return end !== null && keeps(end) === 'everything' ? ['done', 'done', 'stopped'] : undefined;
  }
}

const keeps = ({ type }: SetupEnd) => (isFailureType(type) ? failures[type].keeps : undefined);

function Steps({ view, texts }: Pick<SetupPageProps, 'view' | 'texts'>): VNode | null {
  const states = stepsOf(view);
  if (states === undefined) return null;
  const { steps } = texts;
  const names = [steps.publish, steps.verify, steps.deliver] as const;
  return (
    <ol class="steps" aria-label={steps.label}>
      {names.map((name, at) => {
        const step = states[at] ?? 'ahead';
        return (
          <li key={name} class={`step step-${step}`} aria-current={step === 'current' ? 'step' : undefined}>
            <span class="step-name">{name}</span> <span class="unseen">{steps[step]}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Records(props: SetupPageProps): VNode {
  const { view, texts } = props;
  const { records } = texts;
  const shared = sharedProblems(view, texts);
  const numbered = view.records.map((record, at) => ({ record, id: `record-${at + 1}` }));
  const group = (isRequired: boolean, heading: string, why: string): VNode | null => {
    const own = numbered.filter(({ record }) => record.required === isRequired);
    if (own.length === 0) return null;
    const id = isRequired ? 'required' : 'advised';
    return (
      <section class="records" aria-labelledby={id}>
        <h2 id={id}>{heading}</h2>
        <p class="section-lead">{why}</p>
        {isRequired && <Operator {...props} />}
        {own.map(({ record, id: recordId }) => (
          <RecordCard key={recordId} {...{ record, texts, shared, id: recordId }} />
        ))}
      </section>
    );
  };
  return (
    <>
      {shared.length > 0 && (
        <div class="problems problems-shared">
          {shared.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      {group(true, records.required, records.requiredWhy)}
      {group(false, records.advised, records.advisedWhy)}
    </>
  );
}

function Operator({ view, texts, query }: SetupPageProps): VNode | null {
  const { operator, recognized, records } = view;
  if (records.every(({ status }) => status === 'found')) return null;
  const zone = zoneOf(view);
  const words = texts.operator;
  return (
    <div class="operator">
      <p>{operator === null ? words.unknown(zone) : words.looksLike(operator.name, zone)}</p>
      <p class="operator-links">
        {operator?.manual !== undefined && (
          <a href={operator.manual} rel="noreferrer noopener external" target="_blank">
            {words.manual(operator.name)}
          </a>
        )}
        {operator !== null && <a href={query({ form: 'general', checked: undefined })}>{words.isAnother}</a>}
        {operator === null && recognized !== null && (
          <a href={query({ form: undefined, checked: undefined })}>{words.isThis(recognized)}</a>
        )}
      </p>
    </div>
  );
}

const INSTRUCTION_ROWS = 12;

function HandOn({ view, texts, query, product }: SetupPageProps): VNode {
  const { handOn } = texts;
  return (
    <section class="hand-on" aria-labelledby="hand-on">
      <h2 id="hand-on">{handOn.heading}</h2>
      <p class="section-lead">{handOn.why}</p>
      <textarea id="instructions" readonly rows={INSTRUCTION_ROWS} aria-labelledby="hand-on" spellcheck={false}>
        {instructionText(view, texts, product)}
      </textarea>
      <p class="actions">
        <button type="button" class="copy" data-copy="instructions" hidden>
          {handOn.copyInstructions}
        </button>
        <a class="button" href={query({ download: 'zone-file', checked: undefined })} download>
          {handOn.downloadZoneFile}
        </a>
        <button type="button" class="print" hidden>
          {handOn.print}
        </button>
      </p>
    </section>
  );
}

function About({ view, texts }: SetupPageProps): VNode {
  const { about } = texts;
  const next = about.next(view);
  return (
    <section class="about">
      {next.length > 0 && (
        <>
          <h2>{about.nextHeading}</h2>
          <ol>
            {next.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ol>
        </>
      )}
      {view.nameServers.length > 0 && (
        <details class="more">
          <summary>{about.nameServers}</summary>
          <ul class="name-servers">
            {view.nameServers.map(({ name, answered }) => (
              <li key={name}>
                <code>{name}</code> {answered ? about.answered : about.silent}
              </li>
            ))}
          </ul>
          {view.checkedAt !== null && (
            <p>
              {texts.checks.lastChecked} <Moment at={view.checkedAt} tag={texts.tag} />
            </p>
          )}
        </details>
      )}
    </section>
  );
}
