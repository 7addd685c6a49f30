show((data) => {
  const { sums, faults } = data;
  const tenth = (value) => `${tenths(value)} s`;
  const count = (title, key) => ({
    title,
    number: true,
    text: (fault) => whole(fault.counts[key]),
    tone: (fault) => fault.counts[key] > 0 && 'bad',
  });
  const longest = (key) => Math.max(0.001, ...faults.map((fault) => fault[key]));
  const time = (title, key) => {
    const most = longest(key);
    return { title, number: true, text: (fault) => tenth(fault[key]), bar: (fault) => fault[key] / most };
  };
  const tile = (label, value, bad) => el('div', { class: bad ? 'tile bad' : 'tile' }, el('span', null, label), el('b', null, value));
  const passed = faults.filter((fault) => fault.passed).length;
  const failures = faults.filter((fault) => !fault.passed);

  return [
    el('h1', null, 'Faults under load', el('small', null, data.startedAt)),
    el(
      'div',
      { class: `verdict ${data.passed ? 'pass' : 'fail'}` },
      el('div', { class: 'stamp' }, data.passed ? 'PASS' : 'FAIL'),
      el(
        'div',
        null,
        el('h2', null, `${passed} of ${faults.length} faults passed`),
        el('p', { class: 'quiet' }, `${whole(data.rate)} messages/s, ${data.brokers === 1 ? 'one broker' : `${data.brokers} brokers`}`),
      ),
    ),
    el(
      'div',
      { class: 'tiles' },
      tile('accepted', whole(sums.accepted)),
      tile('lost', whole(sums.lost), sums.lost > 0),
      tile('doubled', whole(sums.doubled), sums.doubled > 0),
      tile('phantom', whole(sums.phantom), sums.phantom > 0),
      tile('reordered', whole(sums.reordered), sums.reordered > 0),
      tile('longest silence', tenth(longest('silence'))),
      tile('longest recovery', tenth(longest('recovery'))),
    ),
    (failures.length > 0 || data.complaints.length > 0) &&
      el(
        'section',
        { class: 'panel' },
        el('h2', null, 'What failed'),
        el(
          'ul',
          { class: 'checks' },
          failures.map((fault) =>
            el(
              'li',
              { class: 'fail' },
              el('span', { class: 'mark' }),
              `${fault.id} ${fault.name}: ${fault.what}`,
              el('ul', { class: 'examples' }, fault.complaints.map((complaint) => el('li', null, complaint))),
            ),
          ),
          data.complaints.map((complaint) => el('li', { class: 'fail' }, el('span', { class: 'mark' }), complaint)),
        ),
      ),
    el(
      'section',
      { class: 'panel' },
      el('h2', null, 'Faults', el('small', null, 'in the order of injection')),
      table(
        [
          { title: 'id', text: (fault) => fault.id },
          { title: 'fault', text: (fault) => el('a', { href: fault.load }, fault.name) },
          { title: 'what was done', text: (fault) => fault.what },
          { title: 'accepted', number: true, text: (fault) => whole(fault.counts.accepted) },
          count('lost', 'lost'),
          count('doubled', 'doubled'),
          count('phantom', 'phantom'),
          count('reordered', 'reordered'),
          time('longest silence', 'silence'),
          time('recovery', 'recovery'),
          { title: 'history behind', number: true, text: (fault) => tenth(fault.history) },
          { title: 'rejections', number: true, text: (fault) => whole(fault.rejections) },
          {
            title: 'result',
            text: (fault) => el('span', { class: `outcome ${fault.passed ? 'pass' : 'fail'}` }, fault.passed ? 'passed' : 'FAILED'),
          },
        ],
        faults,
        { class: 'scroll whole' },
      ),
    ),
    el(
      'section',
      { class: 'panel' },
      el('h2', null, 'What the columns count'),
      facts([
        { label: 'lost', value: 'accepted messages without a row, and messages that a member did not receive' },
        { label: 'doubled', value: 'duplicate rows and deliveries' },
        { label: 'phantom', value: 'rows and deliveries that were never sent or were rejected, or have another text or sender' },
        { label: 'reordered', value: 'rows and deliveries out of order' },
        { label: 'longest silence', value: 'longest time in which a partition accepted no message' },
        { label: 'recovery', value: 'from the end of the fault until every partition accepted messages and the history was less than 5 s behind' },
        { label: 'seed', value: String(data.seed) },
        { label: 'machine', value: data.machine },
      ]),
    ),
  ].filter(Boolean);
});
