import { expect, test } from '../support/guest.js';

/** Texts that a careless page would run, load or treat as markup. */
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//127.0.0.1/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '</span></div></article><script>alert(1)</script>',
  '</template><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x:x" onerror="alert(1)">',
  '<img/src=`x`onerror=alert(1)>',
  '<img src=x onerror=&#97;lert(1)>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '<svg onload=alert(1)>',
  '<svg><script>alert&#40;1&#41;</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)>#x"/></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<iframe src=javascript:alert(1)></iframe>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="data:text/html,<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">click</a>',
  '<a href="jav&#x09;ascript:alert(1)">click</a>',
  'javascript:alert(1)',
  'JaVaScRiPt://%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  '<base href="//127.0.0.1/">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=//127.0.0.1/x.css>',
  '<style>@import "//127.0.0.1/x.css"; *{display:none}</style>',
  '<form action=//127.0.0.1/><button>Join the room</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<x contenteditable onblur=alert(1) tabindex=1 autofocus>x',
  '<div id=rows></div><div id=log></div><form name=getElementById>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><x:script xmlns:x="http-xhtml">alert(1)</x:script>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)} #{alert(1)} <%= alert(1) %>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;img src=x onerror=alert(1)&#62;',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  '\uFF1Cscript\uFF1Ealert(1)\uFF1C/script\uFF1E',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  '\u202Egnp.exe <img src=x onerror=alert(1)>',
  '__proto__[innerHTML]=<img src=x onerror=alert(1)>',
];

/** The shape of the page: every element with the names of its attributes, rows apart. */
function shape(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => !element.closest('#rows'))
      .map((element) => `${element.localName} ${[...element.attributes].map(({ name }) => name).sort().join(' ')}`)
      .filter((line) => !/ on/.test(line))
      .join('\n'),
  );
}

/** The expected elements of each row of text. */
function rowShapes(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('#rows .row.text')].map((row) =>
      [...row.querySelectorAll('*')].map((element) => element.localName).join(' '),
    ),
  );
}

/** No attribute that is script, and nothing that the page does not bring along. */
async function expectNothingForeign(page) {
  const foreign = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter(
        (element) =>
          // A data attribute, such as a message's id, is never an address.
          [...element.attributes].some(({ name, value }) => /^on/i.test(name) || (!/^data-/.test(name) && /^\s*(javascript|data|vbscript):/i.test(value))) ||
          element.matches('script:not([src$="js/main.js"]), iframe, object, embed, base, style, video, marquee, #rows img, #rows form, #rows a'),
      )
      .map((element) => element.outerHTML),
  );
  expect(foreign).toEqual([]);
}

async function violations(page) {
  return page.evaluate(() => globalThis.violations ?? 'not watched');
}

async function watchPolicy(page) {
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(event.violatedDirective));
  });
}

test('each of many payloads is text: live, to others, and in the history', async ({ guest, room }) => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(40);
  const alice = await guest('alice');
  const bob = await guest('bob');
  for (const { page } of [alice, bob]) await watchPolicy(page);
  await alice.enter(room);
  await bob.enter(room);
  await alice.say('harmless');
  await alice.say('harmless, too');
  await expect(bob.words).toHaveCount(2);
  const before = await shape(bob.page);
  for (const text of PAYLOADS) await alice.write(text);

  const wanted = ['harmless', 'harmless, too', ...PAYLOADS];
  const sound = async ({ page, words }) => {
    await expect(words).toHaveText(wanted);
    expect(await words.evaluateAll((all) => all.map((element) => element.textContent))).toEqual(wanted);
    await expect(words.locator('*')).toHaveCount(0);
    const shapes = await rowShapes(page);
    expect(new Set(shapes)).toEqual(new Set([shapes[0]]));
    await expectNothingForeign(page);
    expect(await violations(page)).toEqual([]);
  };
  await sound(alice);
  await sound(bob);
  expect(await shape(bob.page)).toBe(before);
  await bob.page.reload();
  await bob.isJoined();
  // The first JOIN asks for the last 50 messages, joins included: the tail must be as it was said.
  await expect(bob.words.last()).toHaveText(wanted.at(-1));
  const texts = await bob.words.evaluateAll((all) => all.map((element) => element.textContent));
  expect(texts.length).toBeGreaterThanOrEqual(40);
  expect(texts).toEqual(wanted.slice(-texts.length));
  await expect(bob.words.locator('*')).toHaveCount(0);
  await expectNothingForeign(bob.page);
  expect(await violations(bob.page)).toEqual([]);
});

test('a payload in the address names no room, and is only ever text', async ({ guest }) => {
  const mallory = await guest('mallory');
  await watchPolicy(mallory.page);
  await mallory.page.goto('/');
  for (const payload of PAYLOADS) {
    await mallory.page.evaluate((text) => (location.hash = `room=${encodeURIComponent(text)}`), payload);
    await expect(mallory.page.getByText('That link names no room')).toBeVisible();
    await expectNothingForeign(mallory.page);
  }
  expect(await violations(mallory.page)).toEqual([]);
});

test('a payload in what the browser has kept is dropped, or only ever text', async ({ guest }) => {
  const mallory = await guest('mallory');
  await watchPolicy(mallory.page);
  await mallory.page.goto('/');
  await mallory.page.evaluate((payloads) => {
    localStorage.setItem('confab.name', JSON.stringify(payloads[5]));
    localStorage.setItem('confab.rooms', JSON.stringify(payloads));
    sessionStorage.setItem('confab.name', JSON.stringify(payloads[9]));
    sessionStorage.setItem('confab.userId', JSON.stringify(payloads[12]));
    localStorage.setItem('confab.theme', JSON.stringify(payloads[7]));
    sessionStorage.setItem('confab.joined', JSON.stringify(payloads.map((name) => ({ name, read: name }))));
  }, PAYLOADS);
  await mallory.page.reload();
  await expect(mallory.page.getByLabel('Your name')).toBeVisible();
  await expectNothingForeign(mallory.page);
  expect(await violations(mallory.page)).toEqual([]);
});

test('what no server would say is only ever text: names, ids, errors, reasons', async ({ guest, room }) => {
  const alice = await guest('alice');
  await watchPolicy(alice.page);
  let socket;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    socket = page;
    const server = page.connectToServer();
    page.onMessage((frame) => server.send(frame));
  });
  await alice.enter(room);
  await alice.say('harmless');
  const before = await shape(alice.page);
  const forged = (frame) => socket.send(JSON.stringify({ roomId: room, position: '1', ...frame }));
  for (const [i, payload] of PAYLOADS.entries()) {
    const who = { userId: payload, username: payload };
    const message = { ...who, messageId: `${i}${payload}`, timestamp: 1763632800123 };
    forged({ type: 'MESSAGES', messages: [{ ...message, messageType: 'TEXT', message: payload }] });
    forged({ type: 'MESSAGES', messages: [{ ...message, messageId: `j${i}`, messageType: 'JOIN' }] });
    forged({ type: 'MEMBERS', members: 3, joined: [who], left: [], more: false });
    forged({ type: 'ERROR', code: payload, number: 1, messageId: null, errors: [payload], retryable: false, retryAfterMs: null });
    forged({ type: payload });
    await expect(alice.words).toHaveCount(i + 2);
    await expect(alice.words.last()).toHaveText(payload);
    await expect(alice.page.locator('#toast')).toHaveText(payload);
  }
  await expect(alice.words.locator('*')).toHaveCount(0);
  await expectNothingForeign(alice.page);
  const people = await alice.page.evaluate(() =>
    [...document.querySelectorAll('#people-list .person')].map((person) => [...person.querySelectorAll('*')].map((element) => element.localName).join(' ')),
  );
  expect(new Set(people).size).toBe(1);
  const withoutPeople = (text) => text.split('\n').filter((line) => !/^(li|span) /.test(line)).join('\n');
  expect(withoutPeople(await shape(alice.page))).toBe(withoutPeople(before));
  await socket.close({ code: 4001, reason: '<img src=x onerror=alert(1)>' });
  await expect(alice.page.locator('#banner-text')).toContainText('<img src=x onerror=alert(1)>');
  await expectNothingForeign(alice.page);
  expect(await violations(alice.page)).toEqual([]);
});

// Not a guest's page: these violations are meant.
test('should script get into the page all the same, the policy stops it', async ({ page }) => {
  await page.goto('/');
  const outcome = await page.evaluate(async () => {
    const stopped = (what) => {
      try {
        what();
        return 'done';
      } catch (error) {
        return error.name;
      }
    };
    globalThis.ran = [];
    // Until then it is the browser's debugger that runs this, which may do more than a page.
    await new Promise((done) => setTimeout(done));
    const outcomes = {
      innerHTML: stopped(() => (document.body.innerHTML = '<b>x</b>')),
      insertAdjacentHTML: stopped(() => document.body.insertAdjacentHTML('beforeend', '<b>x</b>')),
      write: stopped(() => document.write('<b>x</b>')),
      srcdoc: stopped(() => (document.createElement('iframe').srcdoc = '<b>x</b>')),
      scriptSrc: stopped(() => (document.createElement('script').src = '/js/main.js')),
      policy: stopped(() => trustedTypes.createPolicy('default', { createHTML: (text) => text })),
      eval: stopped(() => globalThis.eval('ran.push("eval")')),
      Function: stopped(() => new Function('ran.push("Function")')()),
      setTimeout: stopped(() => setTimeout('ran.push("setTimeout")')),
    };
    const inline = document.createElement('img');
    inline.setAttribute('src', 'data:,x');
    outcomes.handler = stopped(() => inline.setAttribute('onerror', 'ran.push("handler")'));
    document.body.append(inline);
    await new Promise((done) => setTimeout(done, 200));
    return { outcomes, ran: globalThis.ran };
  });
  expect(outcome.ran).toEqual([]);
  expect(Object.entries(outcome.outcomes).filter(([, what]) => what === 'done').map(([name]) => name).filter((name) => name !== 'handler')).toEqual([]);
});
