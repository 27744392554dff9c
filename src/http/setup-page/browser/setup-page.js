// Makes the setup page live. The page works without it.
'use strict';

const announcement = document.getElementById('announcement');
const view = () => document.getElementById('view');

/** How often the page asks for changes while it is looked at. */
const EVERY_MS = 5_000;
/** Far more than the slowest answer takes, that of a check. */
const ANSWER_MS = 30_000;

/** What only a script can do is hidden until there is one; what replaces it leaves. */
function enhance() {
  for (const button of document.querySelectorAll('button[hidden]')) button.hidden = false;
  for (const text of document.querySelectorAll('.live-text')) text.hidden = false;
  for (const link of document.querySelectorAll('.refresh')) link.hidden = true;
  showLocalTimes();
}

function showLocalTimes() {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.textContent = format.format(at);
  }
}

function announce(text) {
  announcement.textContent = '';
  // A text that is set in the same turn as it was emptied is not read again.
  requestAnimationFrame(() => {
    announcement.textContent = text;
  });
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const text = source instanceof HTMLTextAreaElement ? source.value : source.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS, or refused: leave the text selected for the keyboard.
    if (source instanceof HTMLTextAreaElement) source.select();
    else getSelection().selectAllChildren(source);
    if (!document.execCommand('copy')) return;
  }
  const { copied } = view().dataset;
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = copied;
  announce(copied);
  clearTimeout(Number(button.dataset.timer));
  button.dataset.timer = String(
    setTimeout(() => {
      button.textContent = label;
    }, 2_000),
  );
}

/** Undefined if there is nothing new to show, or the server fails. */
async function ask(address, options) {
  const response = await fetch(address, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS), ...options });
  if (response.status === 404) location.reload();
  return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : undefined;
}

/** Replaces what is shown, and keeps the focus, the scroll position and what the reader has opened. */
function show(page) {
  const next = page?.getElementById('view') ?? null;
  const last = view();
  if (next === null) return false;
  const focused = pathOf(document.activeElement);
  const opened = [...last.querySelectorAll('details[open]')].map(pathOf);
  const closed = [...last.querySelectorAll('details:not([open])')].map(pathOf);
  const changed = last.dataset.headline !== next.dataset.headline;
  const { scrollX, scrollY } = window;
  last.replaceWith(document.adoptNode(next));
  document.title = page.title;
  for (const path of opened) findPath(path)?.setAttribute('open', '');
  for (const path of closed) findPath(path)?.removeAttribute('open');
  enhance();
  findPath(focused)?.focus({ preventScroll: true });
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  const notice = document.getElementById('notice');
  if (changed) announce(next.dataset.headline);
  else if (notice !== null) announce(notice.textContent);
  return true;
}

/** The same element of another page: by its ID, or by its place below the next element that has one. */
function pathOf(element) {
  const places = [];
  let at = element;
  for (; at !== null && at !== document.body && at.id === ''; at = at.parentElement) {
    places.unshift([
      at.tagName,
      [...(at.parentElement?.children ?? [])].filter((e) => e.tagName === at.tagName).indexOf(at),
    ]);
  }
  return at === null || at === document.body || at.id === '' ? undefined : { id: at.id, places };
}

function findPath(path) {
  if (path === undefined) return undefined;
  let at = document.getElementById(path.id);
  for (const [tag, index] of path.places) {
    at = at === null ? null : ([...at.children].filter((child) => child.tagName === tag)[index] ?? null);
  }
  return at;
}

let isAsking = false;
let isChecking = false;

/** Asks for what has changed since the page was shown. A check's answer is as new, and comes with its notice. */
async function refresh() {
  if (document.hidden || isAsking || isChecking) return;
  isAsking = true;
  const last = view();
  try {
    const page = await ask(location.href, { headers: { 'if-none-match': last.dataset.etag } });
    const next = page?.getElementById('view') ?? null;
    if (next === null || isChecking || view() !== last) return;
    if (next.dataset.version !== last.dataset.version) show(page);
    else {
      // Only the time left is another: the notice, and what the reader has selected, stay.
      last.querySelector('.times').replaceWith(next.querySelector('.times'));
      last.dataset.etag = next.dataset.etag;
      showLocalTimes();
    }
  } catch {
    // What is shown stays, and the next time asks again.
  } finally {
    isAsking = false;
  }
}

async function checkNow(form) {
  if (isChecking) return;
  isChecking = true;
  const button = form.querySelector('button');
  const { checking } = view().dataset;
  const label = button.textContent;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = checking;
  announce(checking);
  try {
    if (show(await ask(form.action, { method: 'POST' }))) return;
  } catch {
    // The button is there to be pressed again.
  } finally {
    isChecking = false;
  }
  button.removeAttribute('aria-disabled');
  button.textContent = label;
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button?.classList.contains('copy')) void copy(button);
  if (button?.classList.contains('print')) window.print();
});
document.addEventListener('submit', (event) => {
  if (event.target.id !== 'check-now') return;
  event.preventDefault();
  void checkNow(event.target);
});

if (view() !== null) {
  enhance();
  // Each page in its own rhythm, also after the server was away.
  setInterval(refresh, EVERY_MS);
  document.addEventListener('visibilitychange', refresh);
  // The answer to a check is no part of the address to keep.
  const address = new URL(location.href);
  address.searchParams.delete('checked');
  if (address.href !== location.href) history.replaceState(null, '', address);
}
