import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

export const schemas = new URL('../../../docs/reference/schemas/', import.meta.url);

/** Throws unless it is a frame of the protocol, without any field that the schema does not name. */
export const checkClientFrame = checker('client-frames.json');
export const checkServerFrame = checker('server-frames.json');

function checker(name) {
  const schema = JSON.parse(readFileSync(new URL(name, schemas), 'utf8'));
  // Published open, since version 1 may gain fields. In our tests a field that is not documented is a mistake.
  closeObjects(schema);
  const validate = new Ajv2020({ strict: false }).compile(schema);
  return (frame) => assert.ok(validate(frame), `${JSON.stringify(frame)}: ${JSON.stringify(validate.errors)}`);
}

function closeObjects(schema) {
  if (schema === null || typeof schema !== 'object') return;
  if (schema.type === 'object') schema.additionalProperties = false;
  Object.values(schema).forEach(closeObjects);
}
