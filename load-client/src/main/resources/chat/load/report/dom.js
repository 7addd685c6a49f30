/** An element. Children that are text become text, never markup; null and false are left out. */
const el = (tag, properties, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value == null || value === false) continue;
    if (name === 'style') for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return node;
};

/** A part with a heading; none where nothing is in it. */
const section = (title, note, ...children) =>
  children.some(Boolean) && el('section', null, el('h2', null, title, note && el('small', null, note)), children);

/** Two things side by side, or the one that is there. */
const pair = (...children) => children.some(Boolean) && el('div', { class: 'pair' }, children);

/**
 * A table. A column is { title, text(row), number, bar(row), tone(row) }: numbers stand to the right, a bar is drawn behind
 * them for a share of 0 to 1.
 */
const table = (columns, rows, properties) =>
  el(
    'div',
    { class: 'scroll', tabindex: rows.length > 12 ? 0 : null, ...properties },
    el(
      'table',
      null,
      el('thead', null, el('tr', null, columns.map((column) => el('th', { class: column.number && 'number', scope: 'col' }, column.title)))),
      el(
        'tbody',
        null,
        rows.map((row) =>
          el(
            'tr',
            null,
            columns.map((column) => {
              const share = column.bar?.(row);
              return el(
                'td',
                {
                  class: [column.number && 'number', share != null && 'bar', column.tone?.(row)].filter(Boolean).join(' '),
                  style: share == null ? {} : { '--share': `${(100 * share).toFixed(1)}%` },
                },
                column.text(row) ?? '',
              );
            }),
          ),
        ),
      ),
    ),
  );

/** Labels and values. */
const facts = (rows) => el('dl', { class: 'facts' }, rows.map(({ label, value }) => [el('dt', null, label), el('dd', null, value)]));

/** JSON as a tree that opens and closes. */
const tree = (value, name, depth = 0) => {
  const label = name == null ? [] : [el('span', { class: 'key' }, name), ': '];
  if (value === null || typeof value !== 'object')
    return el('div', { class: 'leaf' }, label, el('span', { class: typeof value }, JSON.stringify(value)));
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return el(
    'details',
    { open: depth < 2, class: 'tree' },
    el('summary', null, label, el('span', { class: 'size' }, size)),
    entries.map(([key, child]) => tree(child, key, depth + 1)),
  );
};

/** Puts the page together; an error must not look like an empty report. */
const show = (build) => {
  const page = document.getElementById('page');
  try {
    page.replaceChildren(...build(JSON.parse(document.getElementById('data').textContent)));
  } catch (error) {
    page.replaceChildren(el('p', { class: 'broken' }, `This report could not be drawn: ${error}`));
    throw error;
  }
};
