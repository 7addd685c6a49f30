// Compiled, not run: confab.js has what confab.d.ts promises. The link makes the compiler look at the program itself.
import * as declared from '../confab.js';
import * as program from './support/implementation.js';

export const client: typeof declared.ConfabClient = program.ConfabClient;
export const room: declared.Room = new program.ConfabClient('').join('');
export const error: typeof declared.ConfabError = program.ConfabError;
export const id: typeof declared.uuidV7 = program.uuidV7;
