import type { ComponentChildren, VNode } from 'preact';
import { printable } from '../../lib/printable.ts';
import type { SetupRecord } from './setup-view.ts';
import { ownProblems, purposeOf } from './texts/instruction-text.ts';
import type { SetupTexts } from './texts/setup-texts.ts';

interface RecordProps {
  readonly record: SetupRecord;
  readonly texts: SetupTexts;
  /** Unique on the page. */
  readonly id: string;
  /** Sentences that the page says once for all records. */
  readonly shared: readonly string[];
}

/** One record: what is wrong with it, and the fields to enter. One that is right is closed. */
export function RecordCard({ record, texts, id, shared }: RecordProps): VNode {
  const { status, problems } = record;
  const { name, why } = purposeOf(record, texts);
  const title = (
    <>
      <h3 id={`${id}-name`}>{name}</h3>
      <span class={`badge badge-${status}`}>{texts.records.status[status]}</span>
    </>
  );
  // A policy that is not to be entered could replace a stricter one, also that of the domain above.
  const content = (
    <>
      {why !== undefined && <p class="why">{why}</p>}
      <Problems {...{ record, texts, shared }} />
      {(record.needsEntry || record.purpose !== 'dmarc') && <Fields {...{ record, texts, id }} />}
    </>
  );
  if (status !== 'found' || problems.length > 0) {
    return (
      <article class={`record record-${status}`} id={id} aria-labelledby={`${id}-name`}>
        <div class="record-title">{title}</div>
        {content}
      </article>
    );
  }
  return (
    <details class="record record-found" id={id}>
      <summary class="record-title">{title}</summary>
      {content}
    </details>
  );
}

function Problems({ record, texts, shared }: Omit<RecordProps, 'id'>): VNode | null {
  const { problems, found, status } = record;
  const own = ownProblems(record, { shared, texts });
  const showsFound = problems.length > 0 && found.length > 0 && status !== 'found';
  if (own.length === 0 && !showsFound) return null;
  return (
    <div class={`problems problems-${status}`}>
      {own.map((sentence, at) => (
        <p key={at}>{sentence}</p>
      ))}
      {showsFound && (
        <>
          <p class="found-label">{texts.records.found}</p>
          <ul class="found">
            {found.map((value) => (
              <li key={value}>
                <code>{printable(value)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Fields({ record, texts, id }: Omit<RecordProps, 'shared'>): VNode {
  const { form } = record;
  const { records } = texts;
  const { name } = purposeOf(record, texts);
  const field = (key: string, label: string, value: string): VNode => (
    <CopyField {...{ id: `${id}-${key}`, label, value, texts }} copies={records.copyField(label, name)} />
  );
  return (
    <>
      {record.needsEntry && <p class="enter">{records.enterThis}</p>}
      <dl class="fields">
        <Field label={records.type}>
          <code>{form.type}</code>
        </Field>
        {form.host === '' ? (
          <Field label={form.labels.host ?? records.host}>{records.emptyHost}</Field>
        ) : (
          field('host', form.labels.host ?? records.host, form.host)
        )}
        {form.priority !== undefined && field('priority', form.labels.priority ?? records.priority, form.priority)}
        {field('value', form.labels.value ?? records.value, form.value)}
      </dl>
      {form.advice.length > 0 && (
        <ul class="advice">
          {form.advice.map((advice) => (
            <li key={advice}>{records.advice[advice](form.zone)}</li>
          ))}
        </ul>
      )}
      {form.chunks !== undefined && (
        <details class="more">
          <summary>{records.parts}</summary>
          <dl class="fields">
            {form.chunks.map((chunk, at, { length }) =>
              field(`part-${at}`, records.part(at + 1, length), `"${chunk}"`),
            )}
          </dl>
        </details>
      )}
      <p class="full-name">
        {records.fullName}: <code>{form.name}</code>
      </p>
    </>
  );
}

function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }): VNode {
  return (
    <div class="field">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface CopyFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** For screen readers. */
  readonly copies: string;
  readonly texts: SetupTexts;
}

/** The button appears with JavaScript; without it, a click into the value selects all of it. */
function CopyField({ id, label, value, copies, texts }: CopyFieldProps): VNode {
  return (
    <Field label={label}>
      <code id={id} class="copied">
        {value}
      </code>
      <button type="button" class="copy" data-copy={id} aria-label={copies} hidden>
        {texts.records.copy}
      </button>
    </Field>
  );
}
