/** Elements without markup: text is only ever text. */

/** @param {Record<string, unknown>} properties of the element; `class`, `data-…`, `aria-…` and `role` are attributes */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (/^(class|role|for|scope|colspan|tabindex|href)$|^(data|aria)-/.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Draws each item of a list. An item that throws costs only itself: the error is reported like any other, and `fallback`
 * replaces it.
 */
export function each(items, draw, fallback = ['This cannot be shown']) {
  return items.map((item) => {
    try {
      return draw(item);
    } catch (error) {
      reportError(error);
      return fallback;
    }
  });
}

/** A table in a frame that scrolls by itself; `head`: names of columns, those of numbers begin with `#`. */
export function table(caption, head, rows) {
  const numbers = head.map((name) => name.startsWith('#'));
  const cell = (content, i) =>
    i === 0
      ? h('th', { scope: 'row' }, content)
      : h('td', { class: numbers[i] ? 'number' : null }, content);
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', { class: 'unseen' }, caption),
      h(
        'thead',
        {},
        h('tr', {}, head.map((name, i) =>
          h('th', { scope: 'col', class: numbers[i] ? 'number' : null }, name.replace(/^#/, '')))),
      ),
      h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map(cell)))),
    ),
  );
}

/** Bars of a list, each as long as its share of the highest. */
export function bars(label, items) {
  const highest = Math.max(1, ...items.map(({ value }) => value));
  return h(
    'ol',
    { class: 'bars', 'aria-label': label },
    items.map(({ name, value, shown, note }) => {
      const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
      bar.style.inlineSize = `${(100 * value) / highest}%`;
      return h(
        'li',
        {},
        h('span', { class: 'bar-name' }, name),
        h('span', { class: 'bar-value' }, shown, note ? h('span', { class: 'bar-note' }, ` ${note}`) : null),
        h('span', { class: 'bar-track', 'aria-hidden': 'true' }, bar),
      );
    }),
  );
}

/** Redraws without moving the focus or the scroll position. */
export function clear(element, ...children) {
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const places = [...element.querySelectorAll('.scroll')].map(({ scrollLeft, scrollTop }) => ({ scrollLeft, scrollTop }));
  element.replaceChildren(...children);
  element.querySelectorAll('.scroll').forEach((frame, i) => Object.assign(frame, places[i]));
  if (focused === null) return;
  [...element.querySelectorAll('[href], [aria-label]')]
    .find((candidate) => nameOf(candidate) === focused)
    ?.focus({ preventScroll: true });
}

function nameOf(element) {
  return element.getAttribute('href') ?? element.getAttribute('aria-label');
}
