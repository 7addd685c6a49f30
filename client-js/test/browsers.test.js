import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints, linter } from './support/browsers.js';

test('client, page and dashboard do without what the supported browsers lack', async () => {
  const results = await linter.lintFiles([
    'client-js/confab.js',
    'chat-server/src/main/resources/static/**/*.{js,css}',
    'persistence-consumer/src/main/resources/dashboard/*.{js,css}',
  ]);
  assert.ok(results.length > 40, `only ${results.length} files`);
  assert.deepEqual(complaints(results), []);
});

const LACKING = {
  'call.js': 'export default URL.canParse("https://a.example");',
  'signal.js': 'export default AbortSignal.timeout(5);',
  'page.js': 'export default document.startViewTransition();',
  'method.js': 'export default [1].toReversed();',
  'syntax.js': 'export class A { static { A.b = 1; } }',
  'expression.js': 'export default /(?<=a)b/;',
  'object.js': 'export default new Set([1]).union(new Set([2]));',
  'function.css': 'a { color: light-dark(red, blue); }',
  'property.css': 'a { text-wrap: balance; }',
};

for (const [filePath, code] of Object.entries(LACKING)) {
  test(`what some supported browser lacks is found: ${code}`, async () => {
    assert.notDeepEqual(complaints(await linter.lintText(code, { filePath })), []);
  });
}
