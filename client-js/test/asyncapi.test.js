import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { checkClientFrame, schemas } from './support/schemas.js';

const address = new URL('../asyncapi.yaml', schemas);
const asyncapi = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
const description = parse(readFileSync(address, 'utf8'));

test('the description of the protocol is AsyncAPI 3', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(asyncapi);
  assert.ok(validate(description), JSON.stringify(validate.errors, null, 1));
});

test('what it refers to is there, and no frame is left out', () => {
  const used = new Set();
  const follow = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (typeof node.$ref === 'string') {
      const [file, pointer] = node.$ref.split('#');
      const root = file ? JSON.parse(readFileSync(new URL(file, address), 'utf8')) : description;
      const target = pointer.split('/').slice(1).reduce((at, name) => at?.[name], root);
      assert.ok(target, node.$ref);
      used.add(node.$ref);
    }
    Object.values(node).forEach(follow);
  };
  follow(description);
  for (const file of ['client-frames.json', 'server-frames.json']) {
    const { $defs } = JSON.parse(readFileSync(new URL(file, schemas), 'utf8'));
    const frames = Object.entries($defs).filter(([, { properties }]) => properties?.type?.const ?? properties?.messageType?.const);
    const whole = frames.filter(([name]) => name !== 'saidText');
    for (const [name] of whole) assert.ok(used.has(`./schemas/${file}#/$defs/${name}`), name);
  }
});

test('the schemas refuse what the protocol refuses', () => {
  const join = { messageType: 'JOIN', userId: '42', username: 'alice42', timestamp: '2026-11-20T10:00:00Z' };
  checkClientFrame(join);
  checkClientFrame([join, { ...join, messageType: 'TEXT', message: 'hi' }]);
  for (const wrong of [{ userId: null }, { username: 'al' }, { timestamp: 'now' }, { history: 501 }, { resume: '1', history: 1 }, { resume: 5 }, { messageType: 'NOPE' }, { roomId: 'a b' }]) {
    assert.throws(() => checkClientFrame({ ...join, ...wrong }), assert.AssertionError, JSON.stringify(wrong));
  }
});
