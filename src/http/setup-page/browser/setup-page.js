// Makes the setup page live. The page works without it.
'use strict';

const main = document.getElementById('main');
const announcement = document.getElementById('announcement');
const view = () => document.getElementById('view');

/** Wait before the page listens again after an answer that the browser does not repeat, such as 503. */
const RETRY_MS = 30_000;

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

/** Replaces what is shown, and keeps the focus, the scroll position and what the reader has opened. */
function show(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const next = page.getElementById('view');
  const last = view();
  if (next === null || last === null) return false;
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

let isStale = false;
let isFetching = false;
/** A change during a slow answer is fetched after it. */
async function refresh() {
  isStale = true;
  if (isFetching) return;
  isFetching = true;
  try {
    while (isStale) {
      isStale = false;
      const response = await fetch(location.href, { cache: 'no-store' });
      if (response.status === 404) location.reload();
      else if (response.ok) show(await response.text());
    }
  } catch {
    // The next change, or the next time that the page is looked at, tries again.
  } finally {
    isFetching = false;
  }
}

async function checkNow(form) {
  const button = form.querySelector('button');
  if (button.getAttribute('aria-disabled') === 'true') return;
  const { checking } = view().dataset;
  const label = button.textContent;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = checking;
  announce(checking);
  try {
    const response = await fetch(form.action, { method: 'POST' });
    if (response.status === 404) location.reload();
    else if (response.ok && show(await response.text())) return;
  } catch {
    // The button is there to be pressed again.
  }
  button.removeAttribute('aria-disabled');
  button.textContent = label;
}

function listen() {
  const source = new EventSource(`${location.pathname}/events?version=${encodeURIComponent(view().dataset.version)}`);
  source.addEventListener('changed', ({ lastEventId }) => {
    // The answer to "check now" has shown it already, and stays.
    if (lastEventId !== view().dataset.version) void refresh();
  });
  source.addEventListener('closed', () => {
    source.close();
    location.reload();
  });
  source.addEventListener('error', () => {
    // The browser reconnects after a lost connection, but not after an answer such as 503.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      void refresh();
      listen();
    }, RETRY_MS);
  });
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
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});

if (main !== null && view() !== null) {
  enhance();
  listen();
  // The answer to a check is no part of the address to keep.
  const address = new URL(location.href);
  address.searchParams.delete('checked');
  if (address.href !== location.href) history.replaceState(null, '', address);
}
